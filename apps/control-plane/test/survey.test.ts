import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandOutcome, CommandRequest, SandboxPort } from '../src/sandbox/port.ts';
import type { Bench } from '../src/session/workshop/parts.ts';
import { inventoryOf, detectProject } from '../src/session/workshop/detect-project.ts';

/** The script runs in a real bash and a real repository, without a sandbox. */
describe('detection of a project', { timeout: 60_000 }, () => {
  let root: string;
  let folder: string;
  let commands = 0;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'ship-survey-'));
    folder = join(root, 'repository');
    mkdirSync(folder);
    commands = 0;
    execFileSync('git', ['init', '-q', folder]);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const run = ({ argv: [program, ...args] }: CommandRequest): Promise<CommandOutcome> => {
    commands += 1;
    return new Promise((resolve) =>
      execFile(program, args, { cwd: folder }, (error, stdout, stderr) =>
        resolve({ exitCode: error === null ? 0 : 1, stdout, stderr }),
      ),
    );
  };
  // The only method of the port that the script uses.
  const port = { run: (_: string, command: CommandRequest) => run(command) } as SandboxPort;
  const sandbox = { port, sandboxId: 'sandbox' } as Bench;
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };

  it('[RS5] an empty repository has nothing, and takes one command', async () => {
    const { programs, ...project } = await detectProject(sandbox, '');
    expect(Object.keys(programs)).toContain('node');
    expect(project).toEqual({
      key: '',
      mark: null,
      hasSetupScript: false,
      hasServices: false,
      isMissed: false,
      listing: { names: ['.git/'], texts: {} },
    });
    expect(commands).toBe(1);
  });

  it('[EN5] the same command detects programs and versions, but only those that the files need', async () => {
    write('package.json', '{}');
    write('requirements.txt', 'a\n');
    write('yarn.lock', `__metadata:\n${'x'.repeat(9_000)}`);
    const { programs, listing, key } = await detectProject(sandbox, '');
    expect(commands).toBe(1);
    expect(programs['node']).toMatch(/^\d+\./);
    expect(programs['python3']).toMatch(/^3\./);
    expect(programs['cargo'] ?? '').toBe('');
    expect(listing.texts['yarn.lock']).toHaveLength(2_000);
    // Dependencies are an input of an automatic install.
    expect(key).toMatch(/^[0-9a-f]{64}$/);
  });

  it('[RS5] one command detects everything', async () => {
    const packageJson = '{\n  "scripts": { "test": "true" }\n}';
    const devcontainer = '{ "postCreateCommand": "make" }';
    const mark = 'ship-setup-0123';
    write('package.json', packageJson);
    write('Makefile', 'test:\n\tA\0B\n');
    write('odd name.txt', '');
    write('.ship/setup.sh', 'true');
    write('.ship/start.sh', 'true');
    write('.devcontainer/devcontainer.json', devcontainer);
    write('.agents/skills/x/SKILL.md', 'x');
    writeFileSync(`${folder}.reused`, `${mark}\n`);
    const project = await detectProject(sandbox, '');
    expect(project).toMatchObject({
      mark,
      hasSetupScript: true,
      hasServices: true,
      // The agent started after these files were there.
      isMissed: false,
      listing: {
        texts: {
          'package.json': packageJson,
          Makefile: 'test:\n\tAB',
          '.devcontainer/devcontainer.json': devcontainer,
          '.ship/start.sh': 'true',
        },
      },
    });
    expect(project.listing.names).toEqual(
      expect.arrayContaining(['.ship/', 'Makefile', 'odd name.txt', 'package.json']),
    );
    expect(project.key).toMatch(/^[0-9a-f]{64}$/);
    expect((await detectProject(sandbox, 'make setup')).key).not.toBe(project.key);
    // A changed input, committed or not, changes the key; a changed source file does not.
    execFileSync('git', ['add', '-A'], { cwd: folder });
    const { key } = await detectProject(sandbox, '');
    write('odd name.txt', 'changed');
    expect((await detectProject(sandbox, '')).key).toBe(key);
    write('.ship/setup.sh', 'false');
    expect((await detectProject(sandbox, '')).key).not.toBe(key);
    write('.ship/setup.sh', 'true');
    expect((await inventoryOf(sandbox)).listing).toEqual(project.listing);
    writeFileSync(`${folder}.rehearsed`, '');
    expect((await detectProject(sandbox, '')).isMissed).toBe(true);
  });
});
