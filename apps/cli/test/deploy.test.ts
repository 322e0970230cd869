/** Runs the real wrangler without a network, against a server on loopback that records all requests. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DEPLOYMENT } from '@ship/control-plane/deployment';
import { type FakeCloudflare, fakeCloudflare } from './cloudflare.ts';
import { ship, temporaryFolder } from './ship.ts';

const KEYS = {
  E2B_API_KEY: 'e2b_planted0123456789',
  GITHUB_TOKEN: 'ghp_planted0123456789012345',
  ANTHROPIC_API_KEY: 'sk-ant-planted0123456789',
};
const ADDRESS = 'https://ship.me.workers.dev';

async function run(folder: string, args: string[], env: Record<string, string> = {}) {
  const running = ship(args, {
    INIT_CWD: folder,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, '.config'),
    // Requests beyond this machine fail immediately.
    HTTPS_PROXY: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1',
    ...env,
  });
  const code = await running.exited;
  const output = running.output();
  return { code, output, last: () => JSON.parse(output.trim().split('\n').at(-1) ?? '') as Result };
}

interface Result {
  ok: boolean;
  url: string;
  upload: string;
  missing: { name: string }[];
  ownerToken: string;
  secrets: { name: string; source: string }[];
  config: { changes: { path: string }[] };
}

beforeAll(() => {
  if (!existsSync(DEPLOYMENT.workerFile)) throw new Error('build the control plane first');
});

describe('ship deploy', { timeout: 120_000 }, () => {
  it('[DP1] --dry-run passes without account, key or network, and changes nothing', async () => {
    const folder = temporaryFolder();
    const { code, output, last } = await run(folder, ['deploy', '--dry-run', '--json']);
    expect([code, output]).toEqual([0, expect.stringContaining('"dryRun":true')]);
    expect(last().upload).toContain('Total Upload');
    expect(last().missing.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['PUBLIC_URL', 'E2B_API_KEY', 'GITHUB_TOKEN', 'ANTHROPIC_API_KEY']),
    );
    expect(readdirSync(folder).filter((name) => name !== '.config')).toEqual([]);
  });

  it('[DP2] uploads the local bundle and sends secrets over standard input, once', async () => {
    const cloudflare = await open();
    const folder = temporaryFolder();
    const { code, output, last } = await run(folder, ['deploy', '--json', '--url', ADDRESS], {
      ...KEYS,
      CLOUDFLARE_API_BASE_URL: `${cloudflare.url}/client/v4`,
      CLOUDFLARE_API_TOKEN: 'token',
      CLOUDFLARE_ACCOUNT_ID: 'account',
      E2B_API_URL: cloudflare.url,
    });
    expect([code, output]).toEqual([0, expect.stringContaining('"ok":true')]);
    const { secrets, ownerToken } = last();
    expect(secrets).toEqual(
      expect.arrayContaining([
        { name: 'E2B_CLOUD_API_KEY', source: 'environment' },
        { name: 'SECRETS_KEYS', source: 'made' },
        { name: 'OWNER_TOKEN', source: 'made' },
      ]),
    );
    expect(ownerToken).toMatch(/^[0-9a-f]{48}$/);
    const bundle = cloudflare.noted.find(({ body }) => body.includes('class_name'));
    expect(bundle?.body).toContain(readFileSync(DEPLOYMENT.workerFile, 'latin1').slice(0, 5_000));
    const sent = cloudflare.noted.filter(({ body }) => body.includes(KEYS.ANTHROPIC_API_KEY));
    expect(sent).toHaveLength(1);
    expect(cloudflare.noted.some(({ path }) => path.endsWith('/r2/buckets'))).toBe(true);
    // Keys are in no file and, except for the owner's token, in no output.
    const config = readFileSync(join(folder, 'ship.wrangler.jsonc'), 'utf8');
    expect(config).toContain('"PUBLIC_URL": "https://ship.me.workers.dev"');
    expect(config + output).not.toContain('planted');
  });

  it('[DP3] missing values have remedies, before anything is changed', async () => {
    const cloudflare = await open();
    const folder = temporaryFolder();
    const { code, output } = await run(folder, ['deploy', '--url', ADDRESS], {
      GITHUB_TOKEN: KEYS.GITHUB_TOKEN,
      CLOUDFLARE_API_BASE_URL: `${cloudflare.url}/client/v4`,
      CLOUDFLARE_API_TOKEN: 'token',
      CLOUDFLARE_ACCOUNT_ID: 'account',
    });
    expect([code, output]).toEqual([3, expect.stringContaining('Missing: E2B_API_KEY')]);
    expect(output).toContain('one of ANTHROPIC_API_KEY');
    expect(cloudflare.noted.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(existsSync(join(folder, 'ship.wrangler.jsonc'))).toBe(false);
  });

  it.each([
    [['deploy'], {}, 2, '--url'],
    [['deploy', '--url', 'http://ship.example/x'], {}, 2, 'https://'],
    [['deploy', '--url', ADDRESS], { E2B_API_KEY: 'planted-typo' }, 1, 'E2B_API_KEY has the wrong'],
    [['deploy', '--url', ADDRESS], KEYS, 1, 'wrangler login'],
  ])('[DP3] %j ends with a remedy', async (args, env, expected, words) => {
    const { code, output } = await run(temporaryFolder(), args, env);
    expect([code, output]).toEqual([expected, expect.stringContaining(words)]);
    expect(output).not.toContain('planted');
  });

  it('[DP4] an unreadable configuration is not changed', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'ship.wrangler.jsonc');
    writeFileSync(file, '{ "name": ');
    const { code, output } = await run(folder, ['deploy', '--dry-run']);
    expect([code, output]).toEqual([1, expect.stringContaining('line 1')]);
    expect(readFileSync(file, 'utf8')).toBe('{ "name": ');
  });
});

it('[DP5] doctor --cloud checks every variable, and shows no value', async () => {
  const { code, output } = await run(temporaryFolder(), ['doctor', '--cloud', '--offline'], {
    E2B_API_KEY: KEYS.E2B_API_KEY,
    OPENAI_API_KEY: 'planted-typo',
  });
  expect(code).toBe(1);
  expect(output).toMatch(/✓ E2B_API_KEY +set/);
  expect(output).toMatch(/✗ OPENAI_API_KEY +has the wrong format/);
  expect(output).toMatch(/✗ GITHUB_TOKEN +not set. Public repositories can be read/);
  expect(output).not.toContain('planted');
}, 60_000);

async function open(): Promise<FakeCloudflare> {
  const cloudflare = await fakeCloudflare();
  onTestFinished(() => cloudflare.close());
  return cloudflare;
}
