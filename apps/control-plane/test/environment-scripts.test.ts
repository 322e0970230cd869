import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type TeamFacts,
  inEnvironment,
  setupScript,
  startScript,
  stepCommands,
  teamEnvironment,
} from '@ship/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const has = (program: string) => {
  try {
    execFileSync('bash', ['-c', `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
};

interface Ended {
  code: number;
  output: string;
}

/** The scripts run in a real bash, without a sandbox. */
describe('scripts of an environment', { timeout: 60_000 }, () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ship-environment-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const bash = (script: string, env: Record<string, string> = {}): Promise<Ended> =>
    new Promise((resolve) => {
      execFile(
        'bash',
        ['-c', script],
        { cwd: folder, env: { ...process.env, HOME: folder, ...env } },
        (error, stdout, stderr) => {
          resolve({
            code: typeof error?.code === 'number' ? error.code : 0,
            output: stdout + stderr,
          });
        },
      );
    });
  const environment = (devcontainer: object, facts: Partial<TeamFacts> = {}) =>
    teamEnvironment({
      texts: { '.devcontainer/devcontainer.json': JSON.stringify(devcontainer) },
      programs: {},
      folder,
      location: '/home/me/shop',
      secretNames: ['TOKEN'],
      setupBy: null,
      startBy: null,
      ...facts,
    });
  const setup = (devcontainer: object, env: Record<string, string> = {}) => {
    const plan = environment(devcontainer);
    return bash(setupScript(plan, stepCommands(plan, plan.setup)), env);
  };

  it('[DE1] steps run in order, the commands of an object in parallel, each with its name', async () => {
    const { code, output } = await setup({
      postCreateCommand: 'echo third >>order; cat order',
      onCreateCommand: 'echo first >>order',
      // Each waits for the other: in sequence they would never end.
      updateContentCommand: {
        left: 'touch left; until [ -e right ]; do sleep 0.05; done; echo saw right',
        right: [
          'bash',
          '-c',
          'touch right; until [ -e left ]; do sleep 0.05; done; echo "saw left"',
        ],
      },
    });
    expect(output).toMatch(
      /^\n==> onCreateCommand\n\n==> updateContentCommand\n(?:\[left\] saw right\n|\[right\] saw left\n){2}\n==> postCreateCommand\nfirst\nthird\n$/,
    );
    expect(code).toBe(0);
  });

  it('[DE1] a failure stops the rest and keeps its exit code', async () => {
    const failed = await setup({ onCreateCommand: 'exit 7', postCreateCommand: 'touch never' });
    expect(failed).toEqual({
      code: 7,
      output: '\n==> onCreateCommand\n==> onCreateCommand ended with exit code 7\n',
    });
    expect(existsSync(join(folder, 'never'))).toBe(false);
    const parallel = await setup({ onCreateCommand: { good: 'true', bad: 'echo no; exit 3' } });
    expect(parallel.code).toBe(3);
    expect(parallel.output).toContain('[bad] no\n');
    expect(parallel.output).toContain('==> onCreateCommand: bad ended with exit code 3\n');
  });

  it('[DE2] variables reach commands and are set once; secrets come from the process', async () => {
    const file = {
      containerEnv: { MODE: "it's", AUTH: 'Bearer ${localEnv:TOKEN}' },
      remoteEnv: { PATH: '/opt/tools:${containerEnv:PATH}', GONE: null },
      postCreateCommand:
        'echo "$MODE $AUTH ${PATH%%:*} ${GONE-gone}"; bash -c \'echo "$PATH"\' | grep -o /opt/tools | wc -l',
    };
    const { output } = await setup(file, { TOKEN: 'hush "quoted"', GONE: 'there' });
    expect(output).toBe('\n==> postCreateCommand\nit\'s Bearer hush "quoted" /opt/tools gone\n1\n');
    const plan = environment(file);
    const verified = await bash(inEnvironment(plan, 'echo "$MODE"'));
    expect(verified.output).toBe("it's\n");
    expect(inEnvironment(environment({}), 'npm test')).toBe('npm test');
  });

  it('[DE4] commands run in the folder of the workspace', async () => {
    mkdirSync(join(folder, 'packages/api'), { recursive: true });
    const workspaceFolder = '/workspaces/shop/packages/api';
    const { output } = await setup({ workspaceFolder, postCreateCommand: 'basename "$PWD"' });
    expect(output).toContain('\napi\n');
    const missing = await setup({
      workspaceFolder: '/workspaces/shop/none',
      onCreateCommand: 'true',
    });
    expect(missing.code).not.toBe(0);
    expect(missing.output).toContain('none');
  });

  it('[DE1] steps after waitFor run at the first start only, postStartCommand at each', async () => {
    const plan = environment({
      onCreateCommand: 'true',
      postCreateCommand: 'echo created >>log',
      postStartCommand: 'echo started >>log',
      waitFor: 'onCreateCommand',
    });
    const script = startScript(plan).replaceAll('/tmp/ship-prepared', join(folder, 'prepared'));
    await bash(script);
    await bash(script);
    expect(readFileSync(join(folder, 'log'), 'utf8')).toBe('created\nstarted\nstarted\n');
    expect(startScript(environment({ onCreateCommand: 'true' }))).toBe('');
  });

  it.skipIf(!has('redis-server') || !has('redis-cli'))(
    '[DE8] a compose file’s cache runs while the setup does, at its port and with its password (needs redis-server)',
    async () => {
      const plan = environment(
        {},
        {
          texts: {
            'compose.yaml': `services: { cache: { image: redis:7, ports: ["16399:6379"], command: redis-server --requirepass hush } }`,
          },
          programs: { 'redis-server': '' },
        },
      );
      const ping = 'redis-cli -p 16399 ping';
      const { code, output } = await bash(setupScript(plan, [`REDISCLI_AUTH=hush ${ping}`, ping]));
      expect(output).toContain('==> service cache: redis answers at 127.0.0.1:16399\nPONG\nNOAUTH');
      expect(code).toBe(0);
      // The service stops with the setup, so that its files can be kept.
      expect((await bash(ping)).code).not.toBe(0);
    },
  );

  it.skipIf(!has('redis-server'))(
    '[DE8] a service that does not start fails the setup and says why (needs redis-server)',
    async () => {
      const texts = { 'compose.yaml': 'services: { cache: { image: redis, ports: ["80:6379"] } }' };
      const plan = environment({}, { texts, programs: { 'redis-server': '' } });
      const script = setupScript(plan, ['touch never']).replaceAll('seq 150', 'seq 2');
      // `false` stands in for a service that ends at once.
      const { code, output } = await bash(script.replaceAll('redis-server -', 'false'));
      expect(code).toBe(1);
      expect(output).toContain('==> service cache: redis did not start');
      expect(existsSync(join(folder, 'never'))).toBe(false);
    },
  );
});
