import type { Octokit } from './octokit.ts';
import type { ForgeChecks } from './port.ts';

/** Combines check runs and statuses, the two ways to report results, into one. */
export async function readChecks(
  octokit: Octokit,
  commit: { owner: string; repo: string; ref: string },
): Promise<ForgeChecks> {
  const at = { ...commit, per_page: 100 };
  const [runs, statuses] = await Promise.all([
    octokit.rest.checks.listForRef(at),
    octokit.rest.repos.getCombinedStatusForRef(at),
  ]);
  const all = [
    ...runs.data.check_runs.map(({ name, status, conclusion }) => ({
      name,
      isDone: status === 'completed',
      isGood: ['success', 'neutral', 'skipped'].includes(conclusion ?? ''),
    })),
    ...statuses.data.statuses.map(({ context, state }) => ({
      name: context,
      isDone: state !== 'pending',
      isGood: state === 'success',
    })),
  ];
  const failed = all.filter((one) => one.isDone && !one.isGood).map(({ name }) => name);
  if (all.length === 0) return { state: 'none', failed };
  if (failed.length > 0) return { state: 'failed', failed };
  return { state: all.every((one) => one.isDone) ? 'passed' : 'pending', failed };
}
