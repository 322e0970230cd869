import { describe, expect, it } from 'vitest';

import type { Target } from '../target.ts';

export function gitTests(target: () => Target): void {
  describe('git helpers', () => {
    it('init, commit, branch, clone, push and status work', async () => {
      const sandbox = await target().create();
      const { git } = sandbox;
      await git.configureUser('Suite', 'suite@ship.test');
      await git.init('/home/user/repo', { initialBranch: 'main' });
      await sandbox.files.write('repo/readme.md', 'hello');
      expect((await git.status('repo')).fileStatus.map(({ name }) => name)).toEqual(['readme.md']);
      await git.add('repo');
      await git.commit('repo', 'first');
      await git.createBranch('repo', 'feature');
      const branches = await git.branches('repo');
      expect(branches.branches.toSorted()).toEqual(['feature', 'main']);
      expect(branches.currentBranch).toBe('feature');
      await git.init('/home/user/origin.git', { bare: true, initialBranch: 'main' });
      await git.remoteAdd('repo', 'origin', '/home/user/origin.git');
      await git.push('repo', { remote: 'origin', branch: 'feature', setUpstream: true });
      await git.clone('/home/user/origin.git', { path: '/home/user/copy', branch: 'feature' });
      expect(await sandbox.files.read('copy/readme.md')).toBe('hello');
      expect((await git.status('copy')).isClean).toBe(true);
    });
  });
}
