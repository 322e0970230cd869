import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_SETTINGS, type SessionEvent, VERIFICATION_EVENTS, createId } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { maskFor } from '../src/platform/mask.ts';
import type { CommandOutcome, CommandRequest, SandboxPort } from '../src/sandbox/port.ts';
import { followLog } from '../src/session/workshop/follow-log.ts';
import { installDependencies } from '../src/session/workshop/install.ts';
import { keepOutput, runLogged, stopLogged } from '../src/session/workshop/logged-command.ts';
import type { TurnPlace } from '../src/session/workshop/parts.ts';
import { gatherEvidence } from '../src/session/workshop/evidence.ts';
import { type VerifyDeps, startBaseline, verifyAfter } from '../src/session/workshop/verify.ts';

/** An artifact store that returns each name. */
const keptAs = async (name: string) => name;
const newName = () => `test-${crypto.randomUUID()}`;

/** The scripts run in a real bash and a real repository, without a sandbox. */
describe('commands of a repository', { timeout: 60_000 }, () => {
  let root: string;
  let folder: string;
  /** Replaces the sandbox's `/tmp`: concurrent runs must not share logs, and none may be left behind. */
  let temporary: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'ship-logged-'));
    folder = join(root, 'repository');
    temporary = join(root, 'tmp');
    mkdirSync(temporary);
    execFileSync('git', ['init', '-q', folder]);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const execute = ({ argv, env }: CommandRequest): Promise<CommandOutcome> => {
    const [program, ...inSandbox] = argv;
    const args = inSandbox.map((argument) => argument.replace(/^\/tmp(?=\/)/, temporary));
    const options = { cwd: folder, env: { PATH: process.env['PATH'], ...env } };
    return new Promise((resolve) =>
      execFile(program, args, options, (error, stdout, stderr) => {
        const exitCode = typeof error?.code === 'number' ? error.code : error === null ? 0 : 255;
        resolve({ exitCode, stdout, stderr });
      }),
    );
  };
  // The only method of the port that the scripts use.
  const port = { run: (_: string, command: CommandRequest) => execute(command) } as SandboxPort;
  const sandbox = { port, sandboxId: 'sandbox', secrets: {}, mask: maskFor([]) } as TurnPlace;
  const logged = (command: string, limitMs = 30_000, name = newName()) =>
    runLogged(sandbox, { name, command, limitMs, isClean: true });

  it('[VF9] a command that exits: its exit code and its whole output', async () => {
    const outcome = await logged('echo out; echo err >&2; exit 7');
    expect(outcome).toMatchObject({ exitCode: 7, output: 'out\nerr\n', outputBytes: 8 });
    expect(await logged('true')).toMatchObject({ exitCode: 0, output: '', outputBytes: 0 });
    expect((await logged('no-such-program-here')).exitCode).toBe(127);
    // Test runners must wait neither for file changes nor for input.
    expect((await logged('echo $CI; cat')).output).toBe('true\n');
  });

  it('[SR2] a command has the secrets, and they are masked in its output before anyone sees it', async () => {
    const secrets = { API_KEY: 'hunter2-and-more' };
    const withSecrets = { ...sandbox, secrets, mask: maskFor(Object.values(secrets)) };
    const request = { name: newName(), limitMs: 30_000, isClean: false };
    const command = 'echo "<$API_KEY> ${#API_KEY} $CI"; exit 3';
    const outcome = await runLogged(withSecrets, { ...request, command });
    expect(outcome).toMatchObject({ exitCode: 3, output: '<[redacted]> 16 true\n' });
  });

  it('[EN7] the output streams while the command runs, with secrets masked', async () => {
    const secrets = { API_KEY: 'hunter2-and-more' };
    const withSecrets = { ...sandbox, secrets, mask: maskFor(Object.values(secrets)) };
    const name = newName();
    let received = '';
    const hasSecond = Promise.withResolvers<void>();
    const end = followLog(withSecrets, name, (text) => {
      received += text;
      if (received.includes('second')) hasSecond.resolve();
    });
    const command =
      'echo "first <$API_KEY>"; echo second; echo "and a long line behind it"; sleep 50';
    const running = runLogged(withSecrets, { name, command, limitMs: 55_000, isClean: false });
    await hasSecond.promise;
    end();
    await stopLogged(withSecrets, name);
    await running;
    expect(received).toMatch(/^first <\[redacted\]>\nsecond\n/);
  });

  const installing = (command: string, stop: AbortSignal) => {
    const events: SessionEvent[] = [];
    const step = { manager: 'npm', command, folder: '.', source: 'package.json' } as const;
    const store = {
      record: (recorded: readonly SessionEvent[]) => void events.push(...recorded),
      trace: {
        span: <Value>(_: string, work: () => Promise<Value>) => work(),
        record: () => undefined,
      },
      state: undefined,
    };
    const deps = {
      place: sandbox,
      store,
      artifacts: keptAs,
      live: () => undefined,
      turnId: createId('turn'),
      stop,
    };
    return { events, done: installDependencies(deps, [step]) };
  };

  it('[EN8] a failed install is recorded with its reason and leaves no partial environment behind', async () => {
    const { signal } = new AbortController();
    const { events, done } = installing(
      'mkdir -p .venv && touch .venv/x; echo error: no luck; exit 3',
      signal,
    );
    expect(await done).toBeNull();
    expect(events.map(({ type }) => type)).toEqual(['install.started', 'install.finished']);
    expect(events[1]?.data).toMatchObject({ exitCode: 3, reason: 'error: no luck (exit code 3)' });
    expect(existsSync(join(folder, '.venv'))).toBe(false);
  });

  it('[EN8] Stop ends an install', async () => {
    const stop = new AbortController();
    const { events, done } = installing('touch installing; sleep 50', stop.signal);
    await vi.waitFor(() => expect(existsSync(join(folder, 'installing'))).toBe(true), 20_000);
    stop.abort();
    expect(await done).toBeNull();
    expect(events[1]?.data).toMatchObject({ reason: 'stopped by a person' });
    rmSync(join(folder, 'installing'));
  });

  it('[VF9] a command that does not exit is killed at its time limit, and its output so far is kept', async () => {
    const outcome = await logged('echo first; sleep 60', 1_000);
    expect(outcome).toMatchObject({ exitCode: null, output: 'first\n' });
  });

  it('[VF12] a command that prints endlessly is killed at its limit, and the output says so', async () => {
    const request = { name: newName(), limitMs: 30_000, isClean: false, maxBytes: 100_000 };
    const outcome = await runLogged(sandbox, { ...request, command: 'yes; echo never' });
    expect(outcome).toMatchObject({ exitCode: null, isTooLong: true, outputBytes: 100_000 });
    expect(outcome.output).toMatch(/^y\n[^]*Ship ended the command: it printed more than 100000/);
  });

  it('[VF12] a background program does not delay the end of its command, whose output is complete', async () => {
    const request = { name: newName(), limitMs: 30_000, isClean: false };
    const command = 'sleep 20 & echo $! > left; seq 1 20000';
    const outcome = await runLogged(sandbox, { ...request, command });
    process.kill(Number(readFileSync(join(folder, 'left'), 'utf8')));
    expect(outcome).toMatchObject({ exitCode: 0, isTooLong: false });
    expect(outcome.output.endsWith('19999\n20000\n')).toBe(true);
    expect(outcome.durationMs).toBeLessThan(15_000);
  });

  it('[VF9] Stop kills the command at once; without a command it does nothing', async () => {
    const name = newName();
    const startedAt = Date.now();
    const running = logged('echo $$ >running; sleep 50', 50_000, name);
    while (!existsSync(join(folder, 'running')))
      await new Promise((resolve) => setTimeout(resolve, 20));
    await stopLogged(sandbox, name);
    expect((await running).exitCode).not.toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(45_000);
    await stopLogged(sandbox, name);
  });

  it('[VF9] new files are deleted; existing, changed and ignored ones stay', async () => {
    writeFileSync(join(folder, '.gitignore'), 'ignored\n');
    writeFileSync(join(folder, 'own work'), 'before');
    await logged('echo after >"own work"; touch ignored "new file" -- -x');
    expect(readFileSync(join(folder, 'own work'), 'utf8')).toBe('after\n');
    expect(existsSync(join(folder, 'ignored'))).toBe(true);
    expect(existsSync(join(folder, 'new file'))).toBe(false);
    expect(existsSync(join(folder, '-x'))).toBe(false);
  });

  /** A session with the verification `before`, and the events that it records. */
  const session = (
    before: { command: string; source: string } | null,
    agentTurn: object | null,
  ) => {
    const recorded: unknown[] = [];
    const git = { commitCount: 0, baseSha: null };
    const state = { verification: { before }, agent: { turn: agentTurn }, git };
    const deps = {
      place: { ...sandbox, state: () => state, settings: DEFAULT_SETTINGS },
      parts: { repository: async () => ({ setupCommand: null, verifyCommand: null }) },
      store: {
        trace: { span: (_: string, work: () => unknown) => work() },
        record: (events: SessionEvent[]) =>
          recorded.push(...events.filter(({ type }) => type !== 'command.started')),
      },
      artifacts: async (name: string) => name,
      // The part of a session that verification reads.
    } as unknown as VerifyDeps;
    return { deps, recorded };
  };

  it('[VF9] Stop does not wait for a verification, which records nothing', async () => {
    const { deps, recorded } = session({ command: 'touch begun; sleep 50', source: 'x' }, null);
    const stop = new AbortController();
    const startedAt = Date.now();
    const verifying = verifyAfter(deps, createId('turn'), stop.signal);
    while (!existsSync(join(folder, 'begun')))
      await new Promise((resolve) => setTimeout(resolve, 20));
    stop.abort('Ada');
    expect(await verifying).toBeNull();
    expect(await verifyAfter(deps, createId('turn'), stop.signal)).toBeNull();
    expect(Date.now() - startedAt).toBeLessThan(45_000);
    expect(recorded).toEqual([]);
  });

  it('[VF1] the command is detected in the folder, and the same one runs after the work', async () => {
    writeFileSync(join(folder, 'Makefile'), 'test:\n\t@echo made\n');
    const { deps, recorded } = session(null, null);
    const turnId = createId('turn');
    await startBaseline(deps, turnId, new AbortController().signal).done;
    const command = 'make test';
    expect(recorded).toMatchObject([
      { data: { turnId, phase: 'before', command, source: 'Makefile', output: 'made\n' } },
    ]);
    const later = session({ command: 'exit 3', source: 'settings' }, {});
    // The agent has worked already: it is too late for a baseline.
    await startBaseline(later.deps, turnId, new AbortController().signal).done;
    expect(later.recorded).toEqual([]);
    const run = await verifyAfter(later.deps, turnId, new AbortController().signal);
    expect(run).toMatchObject({ command: 'exit 3', verdict: 'failed', exitCode: 3 });
    expect(readdirSync(temporary)).toEqual(
      expect.arrayContaining(['ship-verify-before.log', 'ship-verify-after.log']),
    );
  });

  it('[VF2] a long output is stored whole and linked, and the event has its end', async () => {
    const { deps, recorded } = session({ command: 'seq 1 5000', source: 'settings' }, {});
    const turnId = createId('turn');
    const run = await verifyAfter(deps, turnId, new AbortController().signal);
    expect(run?.link).toBe(`verify-after-${turnId}.txt`);
    expect(run?.output.endsWith('4999\n5000\n')).toBe(true);
    expect(
      VERIFICATION_EVENTS['verification.finished'].data.safeParse(
        (recorded[0] as { data: unknown }).data,
      ).success,
    ).toBe(true);
  });

  it('a store that fails costs the link, not the outcome', async () => {
    expect(await keepOutput(() => Promise.reject(new Error('full')), 'x.txt', 'text')).toBeNull();
    expect(await keepOutput(async (name) => name, 'x.txt', 'text')).toBe('x.txt');
    expect(await keepOutput(async (name) => name, 'x.txt', '')).toBeNull();
  });

  it('[VF10] a sandbox that does not respond leaves the work unverified, with a reason', async () => {
    const away = { run: () => Promise.reject(new Error('away')) };
    const git = { headSha: null, baseSha: null };
    // The part that is read before the sandbox fails.
    const deps = {
      place: { port: away, sandboxId: 'x', state: () => ({ git }) },
    } as unknown as VerifyDeps;
    const turn = {
      turnId: createId('turn'),
      promptId: createId('prm'),
      startedAt: 0,
      attempt: 1,
      continues: false,
    };
    const end = { kind: 'finish', outcome: { kind: 'completed' } } as const;
    const evidence = await gatherEvidence(deps, turn, end, new AbortController().signal);
    expect(evidence).toMatchObject({ verified: null, verification: null, confidence: null });
    expect(evidence.whyNotVerified).not.toBeNull();
  });
});
