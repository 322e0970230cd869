import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { buildCodeCache } from '../../src/templates/code-cache.ts';
import { buildRuntime } from '../../src/templates/runtime.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ship-runtime-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What V8 says of the kept code: whether it fits the bundle and this Node. */
const CHECK = `
  const { readFileSync } = require('node:fs');
  const folder = process.argv[1];
  const source = readFileSync(folder + '/supervisor.js', 'utf8');
  const wrapped = '(function (exports, require, module) {' + source + '\\n})';
  const cachedData = readFileSync(folder + '/supervisor.cache');
  console.log(new (require('node:vm').Script)(wrapped, { cachedData }).cachedDataRejected);
`;

it('a runtime holds compiled code that Node accepts, and nothing of its making', async () => {
  const { name } = await buildRuntime(folder);
  const runtime = join(folder, name);
  const said = execFileSync(process.execPath, ['-e', CHECK, runtime], { encoding: 'utf8' });
  expect(said).toBe('false\n');
  expect(readdirSync(runtime)).not.toContain('door');
}, 60_000);

it('a supervisor that does not start leaves a runtime without it', async () => {
  const broken = join(folder, 'broken');
  const { name } = await buildRuntime(folder);
  execFileSync('cp', ['-r', join(folder, name), broken]);
  rmSync(join(broken, 'supervisor.cache'));
  writeFileSync(join(broken, 'supervisor.js'), 'process.exit(7)');
  expect(await buildCodeCache(broken)).toBe(false);
  expect(existsSync(join(broken, 'supervisor.cache'))).toBe(false);
}, 60_000);
