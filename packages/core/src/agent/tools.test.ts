import { type AgentServer, AgentSettings } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { type AgentGrant, agentTools, reasonOf, secretsNeeded } from './tools.ts';

const local = (name: string, env: Record<string, string> = {}, isEnabled = true): AgentServer => ({
  kind: 'local',
  name,
  command: ['node', `${name}.js`],
  env,
  isEnabled,
});
const remote = (name: string, headers: Record<string, string>): AgentServer => ({
  kind: 'remote',
  name,
  url: 'https://mcp.example.com/mcp',
  headers,
  isEnabled: true,
});
const skill = (name: string, isEnabled = true) => ({
  name,
  description: 'Say: "yes" # always',
  text: 'How.',
  isEnabled,
});
const grant = (agent: Partial<AgentSettings>, secrets: AgentGrant['secrets'] = {}): AgentGrant => ({
  settings: AgentSettings.parse({ instructions: '', skills: [], servers: [], ...agent }),
  repositoryInstructions: null,
  secrets,
});

const names = ({ instructions }: ReturnType<typeof agentTools>) =>
  instructions.map(({ name }) => name);

describe('settings of an agent', () => {
  it.each([
    ['a name with a slash', { servers: [local('a/b')] }],
    ['two of one name', { servers: [local('a'), local('a')] }],
    ['two skills of one name', { skills: [skill('a'), skill('a')] }],
    ['no program', { servers: [{ ...local('a'), command: [] }] }],
    ['a variable of the agent itself', { servers: [local('a', { A: '{env:SHIP_TOKEN}' })] }],
    ['a file', { servers: [{ ...local('a'), command: ['cat', '{file:/etc/passwd}'] }] }],
    ['a secret that cannot be', { servers: [local('a', { A: '{secret:a b}' })] }],
    ['a name that is no variable', { servers: [local('a', { 'A B': 'c' })] }],
    ['a header with a line break', { servers: [remote('a', { 'x-a': 'b\nc: d' })] }],
    ['a name that is no header', { servers: [remote('a', { 'x a': 'b' })] }],
    ['a password in an address', { servers: [{ ...remote('a', {}), url: 'https://u:p@x.dev' }] }],
    ['another protocol', { servers: [{ ...remote('a', {}), url: 'file:///etc/passwd' }] }],
    ['too much to tell', { instructions: 'x'.repeat(20_001) }],
    ['a description of two lines', { skills: [{ ...skill('a'), description: 'a\nb' }] }],
  ])('[AC1] %s is refused', (_, agent) => {
    const whole = { instructions: '', skills: [], servers: [], ...agent };
    expect(AgentSettings.safeParse(whole).success).toBe(false);
  });
});

describe('tools of an agent', () => {
  it('[AC2] only what is enabled, with the values of secrets', () => {
    const given = grant(
      {
        skills: [skill('on'), skill('off', false)],
        servers: [
          local('a', { KEY: '{secret:KEY}', MODE: 'fast' }),
          local('off', { X: '{secret:OTHER}' }, false),
          remote('b', { authorization: 'Bearer {secret:KEY}{secret:KEY}' }),
        ],
      },
      { KEY: '$&"k' },
    );
    expect(secretsNeeded(given.settings)).toEqual(['KEY']);
    const { skills, servers, missing } = agentTools(given);
    expect(skills).toEqual([
      {
        name: 'on',
        text: '---\nname: on\ndescription: "Say: \\"yes\\" # always"\n---\nHow.\n',
      },
    ]);
    expect(servers).toEqual({
      a: { kind: 'local', command: ['node', 'a.js'], env: { KEY: '$&"k', MODE: 'fast' } },
      b: {
        kind: 'remote',
        url: 'https://mcp.example.com/mcp',
        headers: { authorization: 'Bearer $&"k$&"k' },
      },
    });
    expect(missing).toEqual([]);
  });

  it('[AC3] a server with a missing secret is left out and named, as are servers that are too long to start', () => {
    const given = grant(
      { servers: [local('a', { K: '{secret:GONE}' }), local('b', { K: '{secret:LONG}' })] },
      { LONG: 'x'.repeat(70_000) },
    );
    const { servers, missing } = agentTools(given);
    expect(servers).toEqual({});
    expect(missing.map(({ name, reason }) => [name, /GONE|characters/.exec(reason)?.[0]])).toEqual([
      ['a', 'GONE'],
      ['b', 'characters'],
    ]);
  });

  it('the list of instructions does not depend on the repository', () => {
    const given = grant({ instructions: 'Be kind.' });
    expect(names(agentTools({ ...given, repositoryInstructions: 'Be quick.' }))).toEqual(
      names(agentTools(given)),
    );
  });

  it('[AC6] a reason is one short line without a secret', () => {
    const reason = reasonOf(`no\u0000 such\nkey abc ${'x'.repeat(900)}`, { KEY: 'abc' });
    expect(reason.startsWith('no such key … x')).toBe(true);
    expect(reason).toHaveLength(500);
    expect(reasonOf(' \n', {})).not.toBe('');
  });
});
