import { RepositoryCreate, type UsageEntry, UsageQuery } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newWorkspace, refusedWith } from '../testing/workspace.ts';
import { unwrap } from '../platform/result.ts';

const entry = (given: Partial<UsageEntry>): UsageEntry => ({
  key: crypto.randomUUID(),
  at: Date.UTC(2026, 0, 15),
  model: 'demo/a',
  repository: '/r',
  costUsd: 0.1,
  inputTokens: 10,
  outputTokens: 1,
  ...given,
});

describe('repositories', () => {
  it('[WS14] one per location, however it is spelled; listed by name', async () => {
    const stub = newWorkspace();
    const add = (location: string) => stub.createRepository(RepositoryCreate.parse({ location }));
    const shop = unwrap(await add('https://forge.example/acme/shop.git'));
    expect(shop).toMatchObject({ name: 'shop', defaultBase: null, setupCommand: null });
    for (const again of ['https://forge.example/acme/shop', 'https://forge.example/acme/shop/'])
      expect(refusedWith(await add(again))).toBe('repository-exists');
    unwrap(await add('/srv/api'));
    const edit = { verifyCommand: 'npm test', name: 'zoo' };
    unwrap(await stub.editRepository(shop.repositoryId, edit));
    const { repositories } = unwrap(await stub.listRepositories());
    expect(repositories.map(({ name, verifyCommand }) => [name, verifyCommand])).toEqual([
      ['api', null],
      ['zoo', 'npm test'],
    ]);
    expect(unwrap(await stub.repositoryAt('https://forge.example/acme/shop'))?.name).toBe('zoo');
    unwrap(await stub.removeRepository(shop.repositoryId));
    expect(unwrap(await stub.repositoryAt('https://forge.example/acme/shop'))).toBeNull();
  });
});

describe('settings', () => {
  it('[WS15] a partial change keeps the rest, and inconsistent settings are refused', async () => {
    const stub = newWorkspace();
    const { etag, settings } = unwrap(await stub.readSettings());
    const changed = unwrap(await stub.patchSettings({ idle: { pauseAfterMs: 1_000 } }, etag));
    expect(changed.settings).toEqual({
      ...settings,
      idle: { ...settings.idle, pauseAfterMs: 1_000 },
    });
    expect(changed.etag).not.toBe(etag);
    expect(
      refusedWith(await stub.patchSettings({ idle: { sleepAfterMs: 999_999_99 } }, undefined)),
    ).toBe('invalid-input');
    expect(unwrap(await stub.readSettings())).toEqual(changed);
  });

  it('[WS15] of two concurrent changes, the second one fails', async () => {
    const stub = newWorkspace();
    const { etag, settings } = unwrap(await stub.readSettings());
    const outcomes = await Promise.all([
      stub.patchSettings({ defaultModel: 'demo/a' }, etag),
      stub.replaceSettings({ ...settings, defaultModel: 'demo/b' }, etag),
    ]);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    const refused = outcomes.find(({ ok }) => !ok);
    expect(refused && refusedWith(refused)).toBe('precondition-failed');
  });
});

describe('usage', () => {
  const january = { from: '2026-01-01', to: '2026-01-31' };

  it('[WS16] each key counts once, however often and in any order', async () => {
    const reports = fc.array(
      fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), costUsd: fc.constantFrom(0.1, 0.2) }),
      { maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(reports, async (given) => {
        const stub = newWorkspace();
        for (const each of given) unwrap(await stub.recordUsage(entry(each)));
        const firsts = new Map(given.toReversed().map((each) => [each.key, each.costUsd]));
        const { total } = unwrap(await stub.readUsage(UsageQuery.parse(january)));
        expect(total.entries).toBe(firsts.size);
        expect(total.inputTokens).toBe(10 * firsts.size);
        expect(total.costUsd).toBeCloseTo(
          [...firsts.values()].reduce((a, b) => a + b, 0),
          6,
        );
      }),
      { numRuns: 20 },
    );
  });

  it('[WS16] sums by day, model and repository without drift, and counts unpriced calls', async () => {
    const stub = newWorkspace();
    for (let i = 0; i < 10; i++) unwrap(await stub.recordUsage(entry({})));
    unwrap(await stub.recordUsage(entry({ model: 'demo/b', costUsd: null, repository: '/s' })));
    unwrap(await stub.recordUsage(entry({ at: Date.UTC(2026, 0, 16), costUsd: 2 })));
    unwrap(await stub.recordUsage(entry({ at: Date.UTC(2026, 5, 1) })));
    const by = async (grouping: string) =>
      unwrap(await stub.readUsage(UsageQuery.parse({ ...january, by: grouping })));
    const days = await by('day');
    expect(days.rows.map(({ key, costUsd }) => [key, costUsd])).toEqual([
      ['2026-01-16', 2],
      ['2026-01-15', 1],
    ]);
    expect(days.total).toMatchObject({ costUsd: 3, unpriced: 1, entries: 12 });
    expect((await by('model')).rows.map(({ key }) => key)).toEqual(['demo/a', 'demo/b']);
    expect((await by('repository')).rows.map(({ key, entries }) => [key, entries])).toEqual([
      ['/r', 11],
      ['/s', 1],
    ]);
  });

  it('refuses an invalid range', async () => {
    const stub = newWorkspace();
    const range = (from: string, to: string) => stub.readUsage(UsageQuery.parse({ from, to }));
    expect(refusedWith(await range('2026-02-01', '2026-01-01'))).toBe('invalid-input');
    expect(refusedWith(await range('2020-01-01', '2026-01-01'))).toBe('invalid-input');
  });
});
