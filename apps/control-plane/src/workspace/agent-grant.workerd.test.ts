import { runInDurableObject } from 'cloudflare:test';
import { RepositoryCreate, SettingsPatch } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { newWorkspace, refusedWith } from '../testing/workspace.ts';
import { unwrap } from '../platform/result.ts';

const location = '/srv/shop';
const server = (name: string, value: string) => ({
  kind: 'local',
  name,
  command: ['node', `${name}.js`],
  env: { KEY: value },
});

describe('readAgentGrant', () => {
  it('[AC2] the repository’s instructions and secrets, without unreferenced secrets', async () => {
    const stub = newWorkspace();
    const create = RepositoryCreate.parse({ location, instructions: 'Prefer trees.' });
    const { repositoryId } = unwrap(await stub.createRepository(create));
    unwrap(await stub.writeSecret({ name: 'KEY', repositoryId: null }, 'general'));
    unwrap(await stub.writeSecret({ name: 'KEY', repositoryId }, 'special'));
    unwrap(await stub.writeSecret({ name: 'OTHER', repositoryId: null }, 'other'));
    const servers = [server('a', '{secret:KEY}')];
    const patch = SettingsPatch.parse({ agent: { instructions: 'Be kind.', servers } });
    unwrap(await stub.patchSettings(patch, undefined));

    const given = unwrap(await stub.agentGrantFor(location));
    expect(given.settings).toMatchObject({ instructions: 'Be kind.', skills: [] });
    expect(given.repositoryInstructions).toBe('Prefer trees.');
    expect(given.secrets).toEqual({ KEY: 'special' });
    const waiting = unwrap(await stub.agentGrantFor(null));
    expect(waiting).toEqual({
      ...given,
      repositoryInstructions: null,
      secrets: { KEY: 'general' },
    });
  });

  it('[AC3] an unreadable secret does not block the agent', async () => {
    const stub = newWorkspace();
    unwrap(await stub.writeSecret({ name: 'BAD', repositoryId: null }, 'x'));
    unwrap(await stub.writeSecret({ name: 'GOOD', repositoryId: null }, 'y'));
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec(
        "UPDATE secrets SET sealed = 'AAAA' || substr(sealed, 5) WHERE name = 'BAD'",
      );
    });
    const servers = [server('a', '{secret:BAD}'), server('b', '{secret:GOOD}')];
    unwrap(await stub.patchSettings(SettingsPatch.parse({ agent: { servers } }), undefined));
    expect(unwrap(await stub.agentGrantFor(location)).secrets).toEqual({ GOOD: 'y' });
  });

  it('[AC1] duplicate names are refused, even in separate requests', async () => {
    const stub = newWorkspace();
    const twice = [server('a', '1'), server('a', '2')];
    expect(SettingsPatch.safeParse({ agent: { servers: twice } }).success).toBe(false);
    const patch = { agent: { servers: twice } } as unknown as SettingsPatch;
    expect(refusedWith(await stub.patchSettings(patch, undefined))).toBe('invalid-input');
  });
});
