import { describe, expect, it } from 'vitest';
import { generalRefusal, mergeRefusal, pullRequestRefusal } from './forge-refusal.ts';
import { sanitizeForgeMessage, remoteMessage } from './forge-message.ts';
import { pushRefusal, transferRefusal } from './push-refusal.ts';

describe('[GF3] the forge’s message', () => {
  it('is one bounded line without tokens, credentials, control characters or reversed text', () => {
    const said = sanitizeForgeMessage(
      '\u001b[31mNo\u001b[0m\r\n push\tto https://x:ghp_abcdefghij0123456789@forge.example/a.git with token ghs_0123456789abcdef \u202egnitaler',
    );
    expect(said).toBe('No push to https://forge.example/a.git with (secret) gnitaler');
    expect(sanitizeForgeMessage('authorization: Bearer abcdefghijklmnopqrst')).toBe(
      'authorization: (secret)',
    );
    expect(sanitizeForgeMessage('x '.repeat(5000))).toHaveLength(300);
  });

  it('is taken from the remote’s lines, without frames and repetitions', () => {
    const stderr =
      'remote: \nremote: =====\nremote: error: GH001: Large files detected.\nremote: error: GH001: Large files detected.\nTo http://x\n ! [remote rejected]';
    expect(remoteMessage(stderr)).toBe('GH001: Large files detected.');
  });
});

const merge = (words: string, rest: Partial<Parameters<typeof mergeRefusal>[0]> = {}) =>
  mergeRefusal({
    status: 405,
    words,
    number: 7,
    base: 'main',
    isDraft: false,
    state: 'clean',
    ...rest,
  });

describe('[GF3] a refused merge has the forge’s reason and a matching remedy', () => {
  it.each([
    ['Pull Request is still a draft', /Mark .* ready/],
    ['Merge commits are not allowed on this repository.', /another way to merge/],
    ['Squash merges are not allowed on this repository.', /another way to merge/],
    ['This branch can’t be rebased', /squash/],
    ['Pull Request has merge conflicts', /Update the branch/],
    ['Head branch was modified. Review and try the merge again.', /newest commits/],
    ['Base branch was modified. Review and try the merge again.', /base moved/],
    ['At least 1 approving review is required by reviewers with write access.', /review/],
    ['Required status check "ci" is expected.', /checks/],
    [
      'Pull Request is not mergeable: main is checked out and /home/me/app has uncommitted changes. Commit or stash the changes there.',
      /in that folder/,
    ],
    ['Pull Request is already merged', /Nothing is left/],
    ['Repository rule violations found', /rules of the base/],
  ])('%s', (words, remedy) => {
    const error = merge(words);
    expect(error.code).toBe('not-mergeable');
    expect(error.message).toContain(words);
    expect(error.remedy).toMatch(remedy);
  });

  it('without a message the state of the pull request decides', () => {
    expect(merge('', { isDraft: true }).remedy).toMatch(/ready/);
    expect(merge('', { status: 409 }).message).toMatch(/changed since/);
    expect(merge('', { state: 'blocked' }).message).toMatch(/rules of main/);
    expect(merge('', { state: 'dirty' }).remedy).toMatch(/conflict/);
    expect(merge('').message).toBe('The forge refused to merge pull request 7.');
  });
});

const refusal = (words: string, fields: string[] = []) =>
  pullRequestRefusal({ status: 422, words, fields, branch: 'ship-x', base: 'main' });

describe('[GF3] a refused pull request', () => {
  it.each([
    ['No commits between main and ship-x', [], 'pull-request-refused', /nothing to propose/, true],
    [
      'The ship-x branch has no history in common with main',
      [],
      'pull-request-refused',
      /have no common history/,
      true,
    ],
    ['Validation Failed', ['head'], 'pull-request-refused', /deleted/, true],
    ['Validation Failed', ['base'], 'base-missing', /another base/, true],
    ['body is too long (maximum is 65536 characters)', [], 'pull-request-refused', /Shorten/, true],
    [
      'Draft pull requests are not supported in this repository.',
      [],
      'pull-request-refused',
      /rules/,
      false,
    ],
  ] as const)('%s %j: %s', (words, fields, code, remedy, isFinal) => {
    const found = refusal(words, [...fields]);
    expect(found.error.code).toBe(code);
    expect(found.error.message).toContain(words);
    expect(found.error.remedy).toMatch(remedy);
    expect(found.isFinal).toBe(isFinal);
  });
});

describe('[GF3] a refused request', () => {
  it.each([
    ['Resource not accessible by personal access token', 'forbidden', /write access/],
    ['Resource protected by organization SAML enforcement.', 'forbidden', /SSO/],
    ['Repository was archived so is read-only.', 'repository-archived', /Unarchive/],
    ['API rate limit exceeded for user ID 1.', 'rate-limited', /automatically/],
    [
      'Although you appear to have the correct authorization credentials, the organization has an IP allow list enabled',
      'forbidden',
      /allow-list/,
    ],
  ] as const)('403 %s: %s', (words, code, remedy) => {
    const error = generalRefusal({ status: 403, words });
    expect(error).toMatchObject({ code, remedy: expect.stringMatching(remedy) as string });
    expect(error?.message).toContain(words);
  });

  it('other statuses are not guessed', () => {
    expect(generalRefusal({ status: 422, words: 'x' })).toBeUndefined();
    expect(generalRefusal({ status: 401, words: 'Bad credentials' })).toBeUndefined();
  });
});

describe('[GF3] a refused push', () => {
  it.each([
    [
      'pre-receive hook declined',
      'GH001: Large files detected. File big.bin is 120.00 MB',
      /Git LFS/,
    ],
    [
      'push declined due to repository rule violations',
      'GH013: Push cannot contain secrets',
      /secret/,
    ],
    [
      'push declined due to email privacy restrictions',
      'GH007: Your push would publish a private email address.',
      /email/,
    ],
    [
      'refusing to allow a Personal Access Token to create or update workflow `.github/workflows/ci.yml` without `workflow` scope',
      '',
      /workflow/,
    ],
    [
      'protected branch hook declined',
      'GH006: Protected branch update failed for refs/heads/x.',
      /another branch name/,
    ],
    [
      'protected branch hook declined',
      'GH006: Commits must have verified signatures.',
      /another branch name|signed/,
    ],
    [
      'push declined due to repository rule violations',
      'GH013: Cannot create ref due to creations being restricted.',
      /branch name/,
    ],
    [
      'pre-receive hook declined',
      'Ticket number is missing in the commit message.',
      /hook of the forge/,
    ],
    ['something new', '', /Do what the forge says/],
  ])('%s / %s', (reason, printed, remedy) => {
    const error = pushRefusal('ship-x', reason, printed);
    expect(error.code).toBe('push-refused');
    expect(error.message).toContain(printed === '' ? reason : printed);
    expect(error.remedy).toMatch(remedy);
  });

  it('an impossible name and a checked-out branch have different errors', () => {
    expect(pushRefusal('a', "cannot lock ref 'refs/heads/a'", '').code).toBe('branch-taken');
    expect(pushRefusal('a', 'branch is currently checked out', '').remedy).toMatch(/git switch/);
  });

  it.each([
    [403, 'This repository was archived so it is read-only.', 'repository-archived'],
    [403, 'Permission to a/b.git denied to c.', 'push-refused'],
    [404, 'Repository not found.', 'not-found'],
    [413, '', 'too-large'],
  ] as const)('%i %s: %s', (status, printed, code) => {
    const error = transferRefusal(status, printed);
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(printed);
  });

  it('other statuses are not handled', () => {
    expect(transferRefusal(502, '')).toBeUndefined();
  });
});
