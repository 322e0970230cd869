import { expect, it } from 'vitest';
import { describeEmptyRepository, describeWorkingCopy } from './working-copy.ts';

const clean = { branch: 'topic', detachedAt: null, uncommitted: 0 };

it('[EY8] notes a detached HEAD and uncommitted files, and nothing else', () => {
  expect(describeWorkingCopy(clean, 'topic')).toEqual([]);
  expect(describeWorkingCopy({ ...clean, uncommitted: null }, 'topic')).toEqual([]);
  const detachedAt = 'abcdef0123456789abcdef0123456789abcdef01';
  expect(describeWorkingCopy({ branch: null, detachedAt, uncommitted: 1 }, 'main')).toEqual([
    'HEAD of the folder is detached at abcdef012, so the session starts from main.',
    '1 file is not committed in the folder, and not part of the session.',
  ]);
  expect(describeWorkingCopy({ ...clean, uncommitted: 1234 }, 'topic')).toEqual([
    '1,234 files are not committed in the folder, and not part of the session.',
  ]);
});

it('[GW28] notes an empty repository and its uncommitted files in one line each', () => {
  const [empty, files = '', ...rest] = describeEmptyRepository('main', 2);
  expect(empty).toMatch(/no commit yet.*starts without files.*first commit on main/);
  expect(files).toMatch(
    /^2 files are not committed.*not part of the session\. They stay.*commit them/,
  );
  expect(files.length).toBeLessThanOrEqual(160);
  expect(rest).toEqual([]);
  expect(describeEmptyRepository('main', 0)).toEqual([empty]);
});
