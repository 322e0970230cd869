import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { identify, isAlive, isShortage, readStat } from './procfs.ts';

const failure = (code: string) => Object.assign(new Error(code), { code });

describe('reading /proc', () => {
  it('[SV12] distinguishes a resource shortage of this server from an answer', () => {
    expect(['EMFILE', 'ENFILE', 'ENOMEM'].map((code) => isShortage(failure(code)))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['ENOENT', 'ESRCH', 'EACCES'].map((code) => isShortage(failure(code)))).toEqual([
      false,
      false,
      false,
    ]);
    expect(isShortage('EMFILE')).toBe(false);
  });

  it('[SV12] does not report a living process as dead when it has no descriptors left', () => {
    const script = `
      import { openSync } from 'node:fs';
      import { identify, isAlive, processTree } from ${JSON.stringify(new URL('procfs.ts', import.meta.url).href)};
      const own = identify(process.pid);
      try { for (;;) openSync('/dev/null'); } catch {}
      let tree = 'a tree';
      try { processTree(process.pid); } catch (error) { tree = error.code; }
      process._rawDebug(String(isAlive(own)), tree);`;
    const node = [process.execPath, '--input-type=module', '-e', script];
    const { stderr } = spawnSync('prlimit', ['--nofile=100:100', ...node], { encoding: 'utf8' });
    expect(stderr).toContain('true EMFILE');
  });

  it('[SV12] recognizes itself, but no process that has exited or reuses the same pid', () => {
    const own = identify(process.pid);
    expect(own !== undefined && isAlive(own)).toBe(true);
    expect(isAlive({ pid: process.pid, startTicks: 1 })).toBe(false);
    expect(readStat(2 ** 22 + 1)).toBeUndefined();
  });
});
