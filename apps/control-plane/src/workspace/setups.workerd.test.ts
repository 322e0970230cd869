import { type Settings, createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../platform/result.ts';
import { newWorkspace } from '../testing/workspace.ts';

const setup = (name: string, repository = name, base = '') => ({
  name,
  repository,
  base,
  provider: 'local' as Settings['sandboxProvider'],
  sessionId: createId('ses'),
  key: `key of ${name}`,
  baseSha: 'a'.repeat(40),
  command: 'npm ci',
  setupMs: 41_000,
  madeAt: 1,
});

describe('Setups', () => {
  it('[KS6] keeps one per repository and branch, three per repository, eight per service', async () => {
    const stub = newWorkspace();
    const keep = async (one: ReturnType<typeof setup>) =>
      unwrap(await stub.changeSetups({ kind: 'keep', setup: one }));
    expect(await keep(setup('a', 'r', 'main'))).toEqual([]);
    expect(await keep(setup('b', 'r', 'main'))).toEqual(['a']);
    expect(await keep(setup('c', 'r', 'next'))).toEqual([]);
    expect(await keep(setup('d', 'r', 'third'))).toEqual([]);
    unwrap(await stub.changeSetups({ kind: 'use', name: 'b' }));
    expect(await keep(setup('e', 'r', 'fourth'))).toEqual(['c']);
    for (const name of ['f', 'g', 'h', 'i', 'j']) expect(await keep(setup(name))).toEqual([]);
    unwrap(await stub.changeSetups({ kind: 'use', name: 'b' }));
    expect(await keep(setup('k'))).toEqual(['d']);
    expect(await keep({ ...setup('l'), provider: 'e2b' })).toEqual([]);
  });

  it('[KS5] finds a setup by repository, branch and service alone', async () => {
    const stub = newWorkspace();
    const kept = setup('a', '/srv/app', 'main');
    unwrap(await stub.changeSetups({ kind: 'keep', setup: kept }));
    const question = { repository: '/srv/app', base: 'main', provider: 'local' as const };
    expect(unwrap(await stub.findSetup(question))).toEqual(kept);
    expect(unwrap(await stub.findSetup({ ...question, provider: null }))).toEqual(kept);
    for (const other of [{ base: '' }, { repository: '/srv/other' }, { provider: 'e2b' as const }])
      expect(unwrap(await stub.findSetup({ ...question, ...other }))).toBeNull();
    unwrap(await stub.changeSetups({ kind: 'drop', name: 'a' }));
    expect(unwrap(await stub.findSetup(question))).toBeNull();
  });

  it('[KS8] a setup with unknown inputs is not found, and is evicted by the next one', async () => {
    const stub = newWorkspace();
    const old = { ...setup('old', 'r', 'main'), key: '' };
    unwrap(await stub.changeSetups({ kind: 'keep', setup: old }));
    const question = { repository: 'r', base: 'main', provider: null };
    expect(unwrap(await stub.findSetup(question))).toBeNull();
    const next = setup('next', 'r', 'main');
    expect(unwrap(await stub.changeSetups({ kind: 'keep', setup: next }))).toEqual(['old']);
  });
});
