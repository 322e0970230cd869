import { describe, expect, it } from 'vitest';
import { parsed, prepareConfig } from './config.ts';
import { exportedSecrets, firstMalformed, planSecrets } from './secrets.ts';
import { OPENCODE_VERSION, cloudTemplate } from './template.ts';
import { VARIABLES } from './variables.ts';
import { type Choices, desiredConfig } from './desired-config.ts';
import { wranglerEnvironment } from './wrangler.ts';

const wanted = (choices: Partial<Choices> = {}) => desiredConfig('/work', { env: {}, ...choices });
const OWN = 'https://ship.example.com';

describe('the configuration of a deployment', () => {
  it('[DP4] a new one is complete, and a second run changes nothing', () => {
    const first = prepareConfig(null, wanted({ url: OWN }));
    expect(first.config).toMatchObject({
      name: 'ship',
      no_bundle: true,
      durable_objects: {
        bindings: [
          { name: 'SESSIONS', class_name: 'SessionAgent' },
          { name: 'WORKSPACES', class_name: 'Workspace' },
          { name: 'RESERVES', class_name: 'Reserve' },
        ],
      },
      migrations: [{ tag: 'v1' }, { tag: 'v2' }],
      vars: { AUTH_MODE: 'team', PUBLIC_URL: OWN, ALLOWED_HOSTS: 'ship.example.com' },
      routes: [{ pattern: 'ship.example.com', custom_domain: true }],
    });
    expect(prepareConfig(first.text, wanted())).toMatchObject({ text: first.text, changes: [] });
  });

  it('[DP4] the user’s comments, names, variables and entries stay', () => {
    const { text, changes, config } = prepareConfig(
      `{
  // mine
  "name": "agents",
  "r2_buckets": [{ "binding": "ARTIFACTS", "bucket_name": "mine", "jurisdiction": "eu" }],
  "durable_objects": { "bindings": [{ "name": "OTHER", "class_name": "Other" }] },
  "migrations": [{ "tag": "other", "new_sqlite_classes": ["Other"] }],
  "vars": { "AUTH_MODE": "team", "ALLOWED_HOSTS": "a.example,ship.example.com", "MINE": "1" },
}`,
      wanted({ url: OWN }),
    );
    expect(changes.every(({ kind }) => kind === 'added')).toBe(true);
    expect(text).toContain('// mine');
    expect(config).toMatchObject({
      name: 'agents',
      r2_buckets: [{ binding: 'ARTIFACTS', bucket_name: 'mine', jurisdiction: 'eu' }],
      migrations: [{ tag: 'other' }, { tag: 'v1' }, { tag: 'v2' }],
      vars: { ALLOWED_HOSTS: 'a.example,ship.example.com', MINE: '1' },
    });
    expect(config.durable_objects.bindings.map(({ name }) => name)).toEqual([
      'OTHER',
      'SESSIONS',
      'WORKSPACES',
      'RESERVES',
    ]);
  });

  it('[DP4] a replaced value is listed with the old one', () => {
    const before = prepareConfig(null, wanted({ url: OWN })).text;
    const url = 'https://other.example.com';
    expect(prepareConfig(before, wanted({ url, name: 'b' })).changes).toEqual(
      expect.arrayContaining([
        { kind: 'changed', path: 'name', from: 'ship', to: 'b' },
        { kind: 'changed', path: 'vars.PUBLIC_URL', from: OWN, to: url },
      ]),
    );
  });

  it('[DP4] a migration of the same tag with another content is refused', () => {
    const text = '{ "migrations": [{ "tag": "v1", "new_classes": ["Mine"] }] }';
    expect(() => prepareConfig(text, wanted())).toThrow('migration v1');
  });

  it('[DP4] an invalid configuration is reported with its line', () => {
    expect(() => parsed('{\n"a": }')).toThrow('line 2');
    expect(() => parsed('null')).toThrow('not an object');
  });
});

const given = () =>
  exportedSecrets({
    E2B_API_KEY: 'e2b_0123456789ab',
    GITHUB_TOKEN: 'ghp_01234567890123456789',
    OPENAI_API_KEY: 'sk-0123456789',
    ANTHROPIC_API_KEY: '',
  });
const missing = (env: NodeJS.ProcessEnv) =>
  planSecrets(exportedSecrets(env), new Set()).missing.map(({ name }) => name);

describe('secrets of a deployment', () => {
  it('[DP6] an existing secret is not generated again: data that the old key encrypted must stay readable', () => {
    const first = planSecrets(given(), new Set());
    expect(first.missing).toEqual([]);
    const names = first.send.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['SECRETS_KEYS', 'GATEWAY_SECRET']));
    expect(firstMalformed(first.send)).toBeUndefined();
    const again = planSecrets(new Map(), new Set(names));
    expect(again).toEqual({ send: [], missing: [] });
  });

  it('[DP6] one model is enough; the others are not missing', () => {
    expect(missing({})).toEqual(expect.arrayContaining(['OPENAI_API_KEY', 'GITHUB_TOKEN']));
    expect(missing({ OPENROUTER_API_KEY: 'sk-or-0123456789' })).toEqual([
      'E2B_CLOUD_API_KEY',
      'GITHUB_TOKEN',
    ]);
  });

  it('[DP6] a GitHub App replaces a token', () => {
    const app = { GITHUB_APP_ID: '1', GITHUB_APP_PRIVATE_KEY: 'key' };
    expect(missing({ ...app, OPENAI_API_KEY: 'sk-0123456789' })).toEqual(['E2B_CLOUD_API_KEY']);
  });

  it('[DP2] wrangler gets none of them in its environment, and sends no telemetry', () => {
    const env = wranglerEnvironment({ PATH: '/bin', E2B_API_KEY: 'k', E2B_CLOUD_API_KEY: 'k' });
    expect(env).toMatchObject({ PATH: '/bin', WRANGLER_SEND_METRICS: 'false' });
    expect(Object.values(env)).not.toContain('k');
  });

  it('every variable has one entry', () =>
    expect(new Set(VARIABLES.map(({ name }) => name)).size).toBe(VARIABLES.length));
});

it('[DP7] the cloud template has the same OpenCode as the local one', async () => {
  const { Template } = await import('e2b');
  const dockerfile = Template.toDockerfile(cloudTemplate());
  expect(OPENCODE_VERSION).toMatch(/^\d+\.\d+\.\d+$/);
  expect(dockerfile).toContain(`opencode-ai@${OPENCODE_VERSION}`);
  for (const program of ['git', 'ripgrep', 'python3']) expect(dockerfile).toContain(program);
});
