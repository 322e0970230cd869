import {
  type SetupCommand,
  choosePreparation,
  chooseReuse,
  environmentTable,
  installCommand,
  installPolicy,
  sessionEvent,
  setupFailureMessage,
} from '@ship/core';
import { type EnvironmentPlan, VERIFICATION_LIMITS, fail } from '@ship/protocol';
import { setupKey } from '../../setups/build-setup.ts';
import type { CommandOutcome } from '../../sandbox/port.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import { log } from '../../platform/log.ts';
import { type InstallDeps, installDependencies } from './install.ts';
import { savedSetup, reportLostSetup } from './kept-setup.ts';
import { type LoggedOutcome, keepOutput, runLogged } from './logged-command.ts';
import type { RepositoryFacts, SetUp, TurnPlace, WorkLog, WorkshopParts } from './parts.ts';
import { type DetectedProject, inventoryOf } from './detect-project.ts';

const SETUP_TIMEOUT_MS = 15 * 60_000;
const SCRIPT_TIMEOUT_MS = 60_000;

/**
 * Deletes what an outdated setup left in the repository and its submodules: a new one must not build on it. A submodule that is
 * not checked out contains nothing else.
 */
const CLEAN_SCRIPT = `git clean -ffdxq
git ls-files -s -z | sed -zn 's/^160000 [^\t]*\t//p' | while IFS= read -r -d '' path; do
  [ ! -L "$path" ] && [ -d "$path" ] || continue
  if [ -e "$path/.git" ]; then git -C "$path" clean -ffdxq; else find "$path" -mindepth 1 -delete; fi
done
exit 0`;
const CLEAN = ['bash', '-c', CLEAN_SCRIPT] as const;

type Found = RepositoryFacts &
  Pick<DetectedProject, 'hasSetupScript' | 'key' | 'mark' | 'listing' | 'programs'>;

type SetupDeps = InstallDeps & { place: TurnPlace; parts: WorkshopParts };

/**
 * Prepares the repository for work: runs the command of its settings, its own script or its devcontainer's commands; else
 * installs its dependencies. Records what is missing before the agent starts. Returns what was run; null when there was nothing
 * to run, when a saved result is present, or when an install failed.
 */
export async function runSetup(deps: SetupDeps, found: Found): Promise<SetUp | null> {
  const { place, store } = deps;
  const facts = factsOf(place, found);
  const { setup, plan: expected, team } = choosePreparation(facts);
  const table = environmentTable(team.rows);
  const again = async () => choosePreparation({ ...facts, ...(await inventoryOf(place)) }).plan;
  if (setup === null) {
    const plan = hasContent(expected) ? await again() : expected;
    recordPlan(store, plan);
    if (table !== '') await keepOutput(deps.artifacts, 'setup.txt', `${table}\n`);
    if (plan.install.length === 0) return null;
    const key = await keyOf(deps, found, installCommand(plan.install));
    return (await isReused(deps, found.mark, key)) ? null : installDependencies(deps, plan.install);
  }
  if (await isReused(deps, found.mark, await keyOf(deps, found, null))) return null;
  const setUp = await runOwn(deps, setup, table);
  // It may have installed what was missing.
  recordPlan(store, await again());
  return setUp;
}

const keyOf = ({ place }: SetupDeps, { key }: Pick<Found, 'key'>, install: string | null) =>
  setupKey(key, install, place.state().git.checkout?.initialized ?? []);

/** Everything that decides how the repository is prepared. */
export function factsOf({ settings, state, secrets }: TurnPlace, found: Found) {
  const { setupCommand: setting, hasSetupScript: hasOwnScript, ...rest } = found;
  const { listing, programs, verifyCommand: verifySetting } = rest;
  const policy = installPolicy(settings.install, found);
  const place = {
    folder: REPOSITORY_FOLDER,
    location: state().repository,
    secretNames: Object.keys(secrets),
  };
  return { setting, hasOwnScript, listing, programs, verifySetting, policy, place };
}

/** Records the plan only where it has content: most people never need to know that nothing is to be done. */
function recordPlan(store: Pick<WorkLog, 'record' | 'state'>, plan: EnvironmentPlan): void {
  if (hasContent(plan) || store.state?.environment !== undefined)
    store.record([sessionEvent('environment.planned', plan)]);
}

const hasContent = ({ install, toolchains, described }: EnvironmentPlan): boolean =>
  install.length > 0 || described !== undefined || toolchains.some(({ advice }) => advice !== null);

/** Whether the result of an earlier setup is present; an outdated one is removed. */
async function isReused(
  { place, parts, store }: SetupDeps,
  mark: string | null,
  key: string,
): Promise<boolean> {
  const kept = mark === null ? null : await savedSetup(place, parts);
  const choice = chooseReuse({ mark, kept, key }, Date.now());
  if (choice === 'reuse' && kept !== null) {
    const { name: layer, baseSha, madeAt, setupMs: savedMs } = kept;
    store.record([sessionEvent('setup.reused', { madeAt, savedMs, layer, baseSha })]);
    log('info', 'setup.reused', { session: place.state().sessionId, layer, baseSha, madeAt });
    return true;
  }
  if (choice === 'stale') {
    store.record([sessionEvent('setup.missed', { reason: 'stale' })]);
    await inRepository(place, CLEAN);
  } else await reportLostSetup(place, parts, store);
  return false;
}

/**
 * Stores the whole output; a failure shows its end and stops the turn, because an agent in a half-prepared repository wastes a
 * person's money.
 */
async function runOwn(
  { place, store, artifacts }: SetupDeps,
  setup: SetupCommand,
  table: string,
): Promise<SetUp> {
  const startedAt = Date.now();
  const command = setup.command.slice(0, VERIFICATION_LIMITS.commandCharacters);
  const begun = { turnId: null, purpose: 'setup', command, limitMs: SETUP_TIMEOUT_MS } as const;
  store.record([sessionEvent('command.started', begun)]);
  const outcome = await runLogged(place, {
    name: 'setup',
    command: setup.script,
    limitMs: SETUP_TIMEOUT_MS,
    isClean: false,
  });
  const link = await keepOutput(artifacts, 'setup.txt', withTable(table, outcome.output));
  const isDone = outcome.exitCode === 0;
  const span = { name: 'setup.output', startedAt, outcome: isDone ? 'ok' : 'failed' } as const;
  store.trace.record({ ...span, detail: link });
  if (!isDone) explain(setup, outcome, link);
  return { durationMs: outcome.durationMs };
}

const withTable = (table: string, output: string): string =>
  table === '' ? output : `${table}\n\n${output}`;

function inRepository(
  { port, sandboxId }: TurnPlace,
  argv: readonly [string, ...string[]],
): Promise<CommandOutcome> {
  return port.run(sandboxId, { argv, cwd: REPOSITORY_FOLDER, timeoutMs: SCRIPT_TIMEOUT_MS });
}

function explain({ source }: SetupCommand, outcome: LoggedOutcome, link: string | null): never {
  const message = setupFailureMessage(outcome, link, SETUP_TIMEOUT_MS);
  return fail('setup-failed', message, `Fix ${source}, then retry.`);
}
