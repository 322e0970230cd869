import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DEFAULT_SETTINGS, createId } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maskFor } from '../src/platform/mask.ts';
import type { CommandOutcome, CommandRequest, SandboxPort } from '../src/sandbox/port.ts';
import {
  canCopyBase,
  copyBase,
  putIntoCopy,
  removeCopy,
} from '../src/session/workshop/base-copy.ts';
import { type VerifyDeps, startBaseline } from '../src/session/workshop/verify.ts';

/** The scripts run in a real bash and a real repository, without a sandbox. */
describe('a copy of the base', { timeout: 60_000 }, () => {
  let root: string;
  let repository: string;
  let commit: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' }).trim();
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  };

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'ship-copy-'));
    repository = join(root, 'home/repository');
    mkdirSync(join(root, 'tmp'), { recursive: true });
    mkdirSync(repository, { recursive: true });
    execFileSync('git', ['init', '-q', repository]);
    git('config', 'user.email', 'a@example.com');
    git('config', 'user.name', 'Ada');
    put('.gitignore', 'node_modules\n.venv\ndist\ntarget\n.env\n');
    put('sum.sh', 'echo base\n');
    put('package.json', JSON.stringify({ scripts: { build: 'echo x >made', test: 'cat made' } }));
    put('test.sh', 'sh sum.sh; cat node_modules/dep/x; test -f wait || exit 3\n');
    git('add', '-A');
    git('commit', '-qm', 'base');
    commit = git('rev-parse', 'HEAD');
    put('node_modules/dep/x', 'dep\n');
    put('.venv/pyvenv.cfg', '');
    put('.venv/bin/tool', `#!${repository}/.venv/bin/python\n`);
    put('dist/built.js', 'built\n');
    put('target/huge', 'x');
    put('.env', 'A=1\n');
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const inside = (text: string) =>
    text.replace(/^\/tmp(?=\/)/, join(root, 'tmp')).replaceAll('/home/user/', `${root}/home/`);
  const execute = ({ argv, cwd, env }: CommandRequest): Promise<CommandOutcome> => {
    const [program, ...args] = argv.map(inside);
    const options = { cwd: inside(cwd ?? '/tmp'), env: { PATH: process.env['PATH'], ...env } };
    return new Promise((resolve) =>
      execFile(program ?? '', args, options, (error, stdout, stderr) => {
        const exitCode = typeof error?.code === 'number' ? error.code : error === null ? 0 : 255;
        resolve({ exitCode, stdout, stderr });
      }),
    );
  };
  // The only method of the port that the scripts use.
  const port = { run: (_: string, command: CommandRequest) => execute(command) } as SandboxPort;
  const sandbox = { port, sandboxId: 'x' };
  const copied = (path: string) => join(root, 'home/repository-base', path);

  it('[VF16] has the base’s files and the installed dependencies, without later changes of the agent', async () => {
    put('sum.sh', 'echo agent\n');
    expect(await canCopyBase(sandbox)).toBe(true);
    expect(await copyBase(sandbox, commit, [])).toBe('/home/user/repository-base');
    expect(readFileSync(copied('sum.sh'), 'utf8')).toBe('echo base\n');
    expect(statSync(copied('node_modules/dep/x')).nlink).toBe(2);
    expect(statSync(copied('dist/built.js')).nlink).toBe(1);
    expect(readFileSync(copied('.env'), 'utf8')).toBe('A=1\n');
    expect(existsSync(copied('target'))).toBe(false);
    // A path into the agent's folder would make the baseline test the agent's files.
    expect(readFileSync(copied('.venv/bin/tool'), 'utf8')).toContain('/repository-base/.venv');
    expect(readFileSync(join(repository, '.venv/bin/tool'), 'utf8')).not.toContain('-base');
    put('new.test.sh', 'echo new\n');
    expect(await putIntoCopy(sandbox, ['new.test.sh'])).toBe(true);
    expect(readFileSync(copied('new.test.sh'), 'utf8')).toBe('echo new\n');
    await removeCopy(sandbox);
    expect(existsSync(copied(''))).toBe(false);
  });

  it('[VF16] there is no copy where services share the folder, nor of a missing commit', async () => {
    put('.ship/start.sh', 'sleep 1\n');
    expect(await canCopyBase(sandbox)).toBe(false);
    rmSync(join(repository, '.ship'), { recursive: true });
    expect(await copyBase(sandbox, 'f'.repeat(40), [])).toBeNull();
    expect(existsSync(copied(''))).toBe(false);
  });

  const sessionOf = (verifyCommand: string | null) => {
    const recorded: { data: Record<string, unknown> }[] = [];
    const state = {
      verification: { before: null },
      agent: { turn: {} },
      git: { commitCount: 1, baseSha: commit },
    };
    const deps = {
      place: {
        ...sandbox,
        secrets: {},
        mask: maskFor([]),
        state: () => state,
        settings: DEFAULT_SETTINGS,
      },
      parts: { repository: async () => ({ setupCommand: null, verifyCommand }) },
      store: {
        trace: { span: (_: string, work: () => unknown) => work() },
        record: (events: typeof recorded) => recorded.push(...events),
      },
      artifacts: async (name: string) => name,
      // The part of a session that verification reads.
    } as unknown as VerifyDeps;
    return { recorded, deps };
  };

  it('[VF16] the baseline runs in the copy while the agent may start, and names the base’s commit', async () => {
    const { recorded, deps } = sessionOf('sh test.sh');
    const baseline = startBaseline(deps, createId('turn'), new AbortController().signal);
    await baseline.ready;
    await baseline.done;
    expect(recorded).toMatchObject([
      { data: { purpose: 'verify-before', command: 'sh test.sh' } },
      { data: { phase: 'before', verdict: 'failed', exitCode: 3, commit, output: 'base\ndep\n' } },
    ]);
    expect(existsSync(copied(''))).toBe(false);
  });

  it.each([
    ['echo x >made', 'npm run build && npm test', 'passed'],
    ['exit 1', 'npm test', 'failed'],
  ])('[VF18] builds first where no test passes: %s', async (build, command, verdict) => {
    const { recorded, deps } = sessionOf(null);
    put('package.json', JSON.stringify({ scripts: { build, test: 'cat made' } }));
    git('commit', '-qam', 'scripts', '--allow-empty');
    Object.assign(deps.place.state().git, { baseSha: git('rev-parse', 'HEAD') });
    const text = readFileSync(join(repository, 'package.json'), 'utf8');
    const listing = { names: ['package.json'], texts: { 'package.json': text } };
    const known = { verifyCommand: null, listing, programs: { node: '24.0.0', npm: '11.0.0' } };
    const { signal } = new AbortController();
    await startBaseline(deps, createId('turn'), signal, known).done;
    expect(recorded.map(({ data }) => data['command'])).toEqual([
      'npm test',
      'npm run build && npm test',
      command,
    ]);
    expect(recorded.at(-1)).toMatchObject({ data: { phase: 'before', verdict } });
  });
});
