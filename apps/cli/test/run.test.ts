import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SessionId } from '@ship/protocol';
import { ShipClient } from '@ship/protocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { preparedDataFolder } from '../../../scripts/testing/prepared-data.ts';
import { createSampleRepository } from '../src/demo/sample-repository.ts';
import type { RunResult } from '../src/result/result.ts';
import { type Running, end, launchShip, ship, until, untilReady } from './ship.ts';
import { removeFolder } from '../../../scripts/testing/remove-folder.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Two tasks that fail; everything else uses the general script. */
const SCRIPT = {
  name: 'for tests of the command line',
  otherwise: 'general',
  rules: [
    {
      name: 'hang',
      when: { prompt: { regex: 'think forever' } },
      steps: [{ say: 'Let me see …', faults: [{ kind: 'hang-mid-stream' }] }],
    },
    {
      name: 'refuse',
      when: { prompt: { regex: 'be refused' } },
      steps: [{ say: 'x', faults: [{ kind: 'unauthorized' }] }],
    },
  ],
};

const longUntil = <T>(what: string, probe: () => T | undefined | Promise<T | undefined>) =>
  until(what, probe, 120_000);
const exitOf = (child: ReturnType<typeof spawn>) =>
  new Promise((resolve) => child.once('exit', resolve));

/** End to end, from the command line to the pull request: real sandbox, agent and git, scripted model. */
describe('ship run', { timeout: 240_000 }, () => {
  let data: string;
  let server: Running;
  let client: ShipClient;

  beforeAll(async () => {
    data = await preparedDataFolder();
    const port = await freePort();
    const script = join(data, 'script.json');
    writeFileSync(script, JSON.stringify(SCRIPT));
    server = launchShip([
      'up',
      '--no-open',
      '--port',
      String(port),
      '--data',
      data,
      '--demo-script',
      script,
    ]);
    await untilReady(server);
    const token = readFileSync(join(data, 'secrets', 'local-token'), 'utf8');
    client = new ShipClient({ baseUrl: `http://127.0.0.1:${port}`, token });
    // A prewarmed agent would use seconds of processor time after each session.
    await client.changeSettings({ warm: { size: 0 } });
  }, 120_000);
  afterAll(async () => {
    await end(server);
    removeFolder(data);
  }, 60_000);

  const started = (running: Running) =>
    longUntil('the session', async () => {
      // Not the first of the list: a stopped session may have been delivered only now.
      const { sessions } = await client.sessions({ limit: 10 });
      const working = sessions.find(({ status }) => status === 'working');
      return running.process.exitCode === null ? working?.sessionId : undefined;
    });

  it('[RN1] ship demo fixes the bug: tests pass, a draft pull request exists, the result is complete', async () => {
    const running = ship(['demo', '--json', '--data', data]);
    const code = await running.exited;
    const result = JSON.parse(running.output().trimEnd().split('\n').at(-1) ?? '') as RunResult;
    expect({ code, error: result.error }).toEqual({ code: 0, error: null });
    expect(result).toMatchObject({
      status: 'done',
      base: 'main',
      branch: expect.stringMatching(/^ship-/),
      commits: [
        { sha: expect.stringMatching(/^[0-9a-f]{40}$/), message: expect.stringMatching(/^fix/) },
      ],
      pullRequest: { number: 1, draft: true, url: expect.stringContaining('http') },
    });
    expect(result.cost.usd).toBeGreaterThan(0);
    for (const [name, ms] of Object.entries(result.timings)) expect([name, ms]).not.toContain(null);

    // The user's repository has the branch, whose tests pass where the base's fail.
    const { state } = await client.session(SessionId.parse(result.sessionId));
    const tests = (branch: string | null) => {
      const copy = `${state.repository}-${branch}`;
      onTestFinished(() => removeFolder(copy));
      execFileSync('git', ['clone', '-q', '-b', branch ?? '', state.repository, copy]);
      return spawn('npm', ['test'], { cwd: copy, stdio: 'ignore' });
    };
    expect(await exitOf(tests('main'))).not.toBe(0);
    expect(await exitOf(tests(result.branch))).toBe(0);
  });

  it('[RN1] an error that only a person can fix ends with code 3 and a remedy', async () => {
    const repository = createSampleRepository(data);
    const running = ship([
      'run',
      '--wait',
      '--json',
      '--repo',
      repository,
      '--model',
      'demo/demo',
      '--data',
      data,
      'Please be refused.',
    ]);
    expect(await running.exited).toBe(3);
    const result = JSON.parse(running.output().trimEnd().split('\n').at(-1) ?? '') as RunResult;
    expect(result).toMatchObject({ status: 'needs-you', error: { category: 'user-action' } });
    expect(result.error?.remedy).not.toBe('');
  });

  it('[RN7] Ctrl-C in a terminal asks; stop stops the agent and waits for it', async () => {
    const repository = createSampleRepository(data);
    // exec: a shell in between would exit on the same Ctrl-C, and its exit would be mistaken for ship's.
    const command = `exec ${process.execPath} ${MAIN} run --wait --repo ${repository} --model demo/demo --data ${data} 'Please think forever.'`;
    const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
      env: { ...process.env, TERM: 'xterm', NO_COLOR: '1' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let output = '';
    terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    const exited = new Promise<number | null>((resolve) => terminal.once('close', resolve));
    onTestFinished(async () => {
      terminal.kill('SIGKILL');
      await exited;
    });
    await longUntil('the agent at work', () => (/thinking/.test(output) ? true : undefined));
    terminal.stdin.write('\u0003');
    await longUntil('the question', () =>
      output.includes('Stop the agent [s]') ? true : undefined,
    );
    terminal.stdin.write('s\n');
    expect(await exited).toBe(1);
    expect(output).toContain('stopped in ');
    // The cursor is shown again.
    expect(output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(output.lastIndexOf('\u001b[?25l'));
  });

  it('[RN7] without a terminal Ctrl-C leaves the agent running; ship stop stops it later', async () => {
    const repository = createSampleRepository(data);
    const running = ship([
      'run',
      '--wait',
      '--repo',
      repository,
      '--model',
      'demo/demo',
      '--data',
      data,
      'Please think forever.',
    ]);
    const sessionId = await started(running);
    running.process.kill('SIGINT');
    expect(await running.exited).toBe(130);
    expect((await client.session(sessionId)).summary.status).toBe('working');
    const stopping = ship(['stop', sessionId, '--data', data]);
    expect(await stopping.exited).toBe(0);
    await longUntil('the end of the turn', async () =>
      (await client.session(sessionId)).summary.status === 'idle' ? true : undefined,
    );
  });

  it('[RN5] ship models lists the available models', async () => {
    const running = ship(['models', '--data', data]);
    expect(await running.exited).toBe(0);
    expect(running.output()).toMatch(/^demo\/demo\s+Demo .*demo/m);
  });
});
