import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { npmEnvironment, npmInstaller, reasonOf } from './npm.ts';
import { prune } from './prune.ts';

let folder = '';
let registry: Server;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ship-npm-'));
  registry = createServer((_, response) => response.writeHead(403).end('{}'));
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  registry.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function install(signal: AbortSignal, onLine: (line: string) => void = () => undefined) {
  const staging = mkdtempSync(join(folder, 'staging-'));
  const progress = { onStep: () => undefined, cacheFolder: join(folder, 'cache'), signal };
  return npmInstaller({ version: '1.2.3', integrity: 'sha512-none' }, onLine)(staging, progress);
}

describe('VS Code from npm', { timeout: 60_000 }, () => {
  it('[ED4] a registry’s refusal is reported with npm’s message, by Ship’s npm', async () => {
    const { port } = registry.address() as AddressInfo;
    vi.stubEnv('npm_config_registry', `http://127.0.0.1:${port}/`);
    const lines: string[] = [];
    const failed = install(new AbortController().signal, (line) => lines.push(line));
    await expect(failed).rejects.toThrow(/403 Forbidden/);
    expect(lines.join('\n')).toContain('code-server');
  });

  it('[ED4] an unreachable registry is a failure, and a stop ends immediately', async () => {
    vi.stubEnv('npm_config_registry', 'http://127.0.0.1:1/');
    await expect(install(new AbortController().signal)).rejects.toThrow(
      /ECONNREFUSED|127\.0\.0\.1/,
    );
    const abort = new AbortController();
    const stopped = install(abort.signal);
    abort.abort(new Error('Ship was stopped.'));
    await expect(stopped).rejects.toThrow('Ship was stopped.');
  });

  it('keeps the registry settings, and nothing else of the npm that started Ship', () => {
    const env = {
      PATH: '/bin',
      npm_config_registry: 'http://r',
      npm_config_workspace: 'x',
      npm_execpath: 'x',
      NPM_TOKEN: 'x',
    };
    expect(npmEnvironment(env)).toEqual({ PATH: '/bin', npm_config_registry: 'http://r' });
  });

  it('reports npm’s error', () => {
    expect(
      reasonOf([
        'npm error code E404',
        'npm error 404 Not Found - GET http://r/code-server',
        'npm error A complete log of this run can be found in: /x/debug-0.log',
      ]),
    ).toBe('404 Not Found - GET http://r/code-server');
    expect(reasonOf(['npm error code EIO', 'npm error syscall read'])).toBe('syscall read');
    expect(reasonOf([])).toBe('npm exited without output');
  });

  it('removes parts for other systems and accounts, and keeps the others', async () => {
    const code = join(folder, 'code');
    const own = `linux-${process.arch}`;
    const bin = 'node_modules/@vscode/ripgrep-universal/bin';
    for (const name of [own, 'win32-x64', 'linux-riscv64'])
      mkdirSync(join(code, bin, name), { recursive: true });
    mkdirSync(join(code, 'extensions/copilot'), { recursive: true });
    mkdirSync(join(code, 'extensions/git'), { recursive: true });
    writeFileSync(join(code, 'extensions/git/a.js.map'), '');
    await prune(code);
    expect(readdirSync(join(code, bin))).toEqual([own]);
    expect(readdirSync(join(code, 'extensions'))).toEqual(['git']);
    expect(readdirSync(join(code, 'extensions/git'))).toEqual([]);
  });
});
