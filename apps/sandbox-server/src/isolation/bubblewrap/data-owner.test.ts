import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveOwner } from './data-owner.ts';
import type { FileOwner } from './file-owner.ts';
import { findHostTools } from './host-tools.ts';
import { layoutOf, sandboxPaths } from './layout.ts';
import { bootId, identify } from './procfs.ts';
import { findRange } from './subordinate-ids.ts';

let folder: string;
let given: string[];
const tools = findHostTools((name) => `/usr/bin/${name}`);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ship-owner-'));
  given = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const owner = (mode: FileOwner['mode'], uidStart?: number): FileOwner => ({
  mode,
  uidStart,
  userNamespace: undefined,
  weakness: undefined,
  run: async () => ({ stdout: '' }),
  rename: async () => {},
  remove: async () => {},
  reclaim: async () => {},
  assign: async (root) => void given.push(root.slice(folder.length)),
});
const settle = (wanted: FileOwner) => resolveOwner(layoutOf(folder), wanted, tools);
const recorded = () => readFileSync(join(folder, 'owner'), 'utf8').trim();

function oldSandbox(isRunning: boolean): void {
  mkdirSync(join(folder, 'layers/base/fs'), { recursive: true });
  const paths = sandboxPaths(layoutOf(folder), 'one');
  mkdirSync(paths.upper, { recursive: true });
  const self = identify(process.pid);
  const run = { bootId: bootId(), monitor: self, init: self };
  writeFileSync(paths.state, JSON.stringify(isRunning ? { run } : {}));
}

describe('the ids that own a data folder', () => {
  it('[UI3] a new folder takes the strongest owner available and records it', async () => {
    expect((await settle(owner('subordinate', 100_000))).mode).toBe('subordinate');
    expect(recorded()).toBe('subordinate 100000');
    expect(given).toEqual([]);
  });

  it('[UI3] files of an older version change owner before they are used', async () => {
    oldSandbox(false);
    expect((await settle(owner('subordinate', 100_000))).mode).toBe('subordinate');
    expect(given).toEqual(['/layers/base/fs', '/sandboxes/one/upper']);
    expect(recorded()).toBe('subordinate 100000');
  });

  it('[UI3] sandboxes that run with one id keep it until they have stopped', async () => {
    oldSandbox(true);
    expect(await settle(owner('subordinate', 100_000))).toMatchObject({
      mode: 'single',
      weakness: expect.stringContaining('stop all sandboxes'),
    });
    expect(given).toEqual([]);
    expect(existsSync(join(folder, 'owner'))).toBe(false);
  });

  it('[UI3] files of ids that no longer exist are refused with a remedy, not shown as owned by nobody', async () => {
    await settle(owner('subordinate', 100_000));
    mkdirSync(join(folder, 'layers/base/fs'), { recursive: true });
    await expect(settle(owner('single'))).rejects.toThrow('restore /etc/subuid');
    await expect(settle(owner('subordinate', 231_072))).rejects.toThrow('subordinate 100000');
  });
});

describe('/etc/subuid', () => {
  it('[UI1] a range belongs to a name or a number, and must be large enough', () => {
    const table = 'ada:100000:1000\nbob:165536:65536\n1007:231072:65536\n# a comment\n';
    expect(findRange(table, 'ada', 1001)).toBeUndefined();
    expect(findRange(table, 'bob', 1002)).toBe(165_536);
    expect(findRange(table, 'eve', 1007)).toBe(231_072);
    expect(findRange('', 'ada', 1001)).toBeUndefined();
  });
});
