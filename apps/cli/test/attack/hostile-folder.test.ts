import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { gitIdentity } from '../../src/git-identity.ts';
import { repositoryLocation } from '../../src/sessions/repository.ts';

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ship-hostile-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('[AT-C2b13] attack: a folder’s configuration sends ship run to another repository of the user', () => {
  const base = temporaryFolder();
  const [hostile, other] = [join(base, 'hostile'), join(base, 'private')];
  for (const folder of [hostile, other]) execFileSync('git', ['init', '--quiet', folder]);
  appendFileSync(join(hostile, '.git/config'), `[core]\n\tworktree = ${other}\n`);
  expect(repositoryLocation(hostile)).toBe(hostile);
  mkdirSync(join(hostile, 'deep/er'), { recursive: true });
  expect(repositoryLocation(join(hostile, 'deep/er'))).toBe(hostile);
  expect(() => repositoryLocation(base)).toThrow('is not a git repository');
});

test('[AT-C2b14] attack: the folder where ship is started chooses who signs the merges', () => {
  const folder = temporaryFolder();
  execFileSync('git', ['init', '--quiet', folder]);
  appendFileSync(
    join(folder, '.git/config'),
    '[user]\n\tname = Mallory\n\temail = m@example.com\n',
  );
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
  expect(gitIdentity()).not.toMatchObject({ name: 'Mallory' });
});
