import { beforeAll, describe, expect, test } from 'vitest';
import type { Octokit } from 'octokit';
import { failure, temporaryFolder, testForge, type TestForge } from './support/forge.ts';
import { commit, git, gitFailure } from './support/git.ts';

const ADA = 'token-of-ada-0001';
const GRACE = 'token-of-grace-02';
const at = { owner: 'ada', repo: 'app' };

describe('protected branches', () => {
  let forge: TestForge;
  let ada: Octokit;
  let grace: Octokit;
  let work: string;
  let first: string;

  beforeAll(async () => {
    const tokens = [
      { token: ADA, login: 'ada' },
      { token: GRACE, login: 'grace' },
    ];
    forge = await testForge({ tokens });
    ada = forge.octokit(ADA);
    grace = forge.octokit(GRACE);
    await ada.rest.repos.createForAuthenticatedUser({ name: 'app' });
    const folder = await temporaryFolder();
    work = `${folder}/work`;
    await git(folder, 'init', '-q', '-b', 'main', work);
    const url = `${forge.gitUrl}/ada/app.git`.replace('http://', `http://x:${ADA}@`);
    await git(work, 'remote', 'add', 'origin', url);
    first = await commit(work, { 'README.md': '# app\n' }, 'first');
    await git(work, 'push', '-q', 'origin', 'main', 'main:open', 'main:plain');
    return () => forge.close();
  });

  const protect = (branch: string, rules: { approvals?: number; checks?: string[] } = {}) =>
    ada.rest.repos.updateBranchProtection({
      ...at,
      branch,
      required_status_checks:
        rules.checks === undefined ? null : { strict: false, contexts: rules.checks },
      enforce_admins: true,
      required_pull_request_reviews:
        rules.approvals === undefined ? null : { required_approving_review_count: rules.approvals },
      restrictions: null,
    });
  const pull = async (head: string, base: string) => {
    await git(work, 'checkout', '-q', '-B', head, first);
    const sha = await commit(work, { [`${head}.txt`]: `${head}\n` });
    await git(work, 'push', '-q', 'origin', head);
    const { data } = await ada.rest.pulls.create({ ...at, head, base, title: head });
    return { sha, pull_number: data.number };
  };
  const stateOf = async (pull_number: number) =>
    (await ada.rest.pulls.get({ ...at, pull_number })).data.mergeable_state;

  test('rules are set, shown at the branch and removed', async () => {
    const branch = 'open';
    const none = await failure(ada.rest.repos.getBranchProtection({ ...at, branch }));
    expect(none).toMatchObject({ status: 404, data: { message: 'Branch not protected' } });
    const { data } = await protect(branch, { approvals: 2, checks: ['ci'] });
    expect(data).toMatchObject({
      enforce_admins: { enabled: true },
      required_pull_request_reviews: { required_approving_review_count: 2 },
      required_status_checks: { contexts: ['ci'] },
    });
    expect((await ada.rest.repos.getBranchProtection({ ...at, branch })).data).toEqual(data);
    expect((await ada.rest.repos.getBranch({ ...at, branch })).data.protected).toBe(true);
    const listed = (await ada.rest.repos.listBranches(at)).data;
    expect(listed.filter((one) => one.protected).map(({ name }) => name)).toEqual(['open']);
    await ada.rest.repos.deleteBranchProtection({ ...at, branch });
    const again = ada.rest.repos.deleteBranchProtection({ ...at, branch });
    expect((await failure(again)).status).toBe(404);
    expect((await failure(protect('nowhere'))).status).toBe(404);
    expect((await ada.rest.repos.getBranch({ ...at, branch })).data.protected).toBe(false);
  });

  test('a direct push is refused in GitHub’s words; other refs of the push succeed', async () => {
    await protect('main', { approvals: 1 });
    await git(work, 'checkout', '-q', '-B', 'main', first);
    await commit(work, { direct: '1' });
    const output = await gitFailure(work, 'push', 'origin', 'main', 'main:beside');
    expect(output).toContain('GH006: Protected branch update failed for refs/heads/main.');
    expect(output).toContain('Changes must be made through a pull request.');
    expect(output).toMatch(/! \[remote rejected\] main -> main \(protected branch hook declined\)/);
    expect(await git(work, 'ls-remote', 'origin', 'main')).toContain(first);
    expect(await git(work, 'ls-remote', 'origin', 'beside')).not.toContain(first);
    const deleted = await gitFailure(work, 'push', 'origin', ':main');
    expect(deleted).toContain('Cannot delete this branch');
    const moved = { ...at, ref: 'heads/main', sha: await git(work, 'rev-parse', 'main') };
    expect((await failure(ada.rest.git.updateRef(moved))).status).toBe(422);
    const removed = ada.rest.git.deleteRef({ ...at, ref: 'heads/main' });
    expect((await failure(removed)).status).toBe(422);
  });

  test('without required reviews only forced pushes are refused', async () => {
    await protect('plain');
    await git(work, 'checkout', '-q', '-B', 'plain', first);
    await commit(work, { plain: '1' });
    await git(work, 'push', '-q', 'origin', 'plain');
    await git(work, 'commit', '-q', '--amend', '-m', 'other words');
    const output = await gitFailure(work, 'push', '--force', 'origin', 'plain');
    expect(output).toContain('Cannot force-push to this branch');
    await protect('plain', { checks: ['ci'] });
    await git(work, 'reset', '-q', '--hard', 'origin/plain');
    await commit(work, { plain: '2' });
    expect(await gitFailure(work, 'push', 'origin', 'plain')).toContain(
      'Required status check "ci" is expected.',
    );
  });

  test('a merge requires the review of another user', async () => {
    const { pull_number } = await pull('reviewed', 'main');
    const merge = () => ada.rest.pulls.merge({ ...at, pull_number });
    expect(await stateOf(pull_number)).toBe('blocked');
    expect(await failure(merge())).toMatchObject({
      status: 405,
      data: {
        message: 'At least 1 approving review is required by reviewers with write access.',
      },
    });
    const review = (event: 'APPROVE' | 'REQUEST_CHANGES') =>
      grace.rest.pulls.createReview({ ...at, pull_number, event, body: 'seen' });
    await review('REQUEST_CHANGES');
    expect((await failure(merge())).data['message']).toContain('Changes have been requested');
    await review('APPROVE');
    expect(await stateOf(pull_number)).toBe('clean');
    expect((await merge()).data.merged).toBe(true);
  });

  test('a merge requires successful checks', async () => {
    await protect('open', { checks: ['ci', 'lint'] });
    const { sha, pull_number } = await pull('checked', 'open');
    const merge = () => ada.rest.pulls.merge({ ...at, pull_number });
    const refused = async () => (await failure(merge())).data['message'];
    expect(await refused()).toBe('Required status check "ci" is expected.');
    await ada.rest.repos.createCommitStatus({ ...at, sha, context: 'ci', state: 'failure' });
    expect(await refused()).toBe('Required status check "ci" is failing.');
    await ada.rest.repos.createCommitStatus({ ...at, sha, context: 'ci', state: 'success' });
    expect(await refused()).toBe('Required status check "lint" is expected.');
    await ada.rest.checks.create({
      ...at,
      name: 'lint',
      head_sha: sha,
      status: 'completed',
      conclusion: 'success',
    });
    expect((await merge()).data.merged).toBe(true);
  });
});
