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

/** Asks V8 whether the code cache fits the bundle and this Node. */
const CHECK = `
  const { readFileSync } = require('node:fs');
  const folder = process.argv[1];
  const source = readFileSync(folder + '/supervisor.js', 'utf8');
  const wrapped = '(function (exports, require, module) {' + source + '\\n})';
  const cachedData = readFileSync(folder + '/supervisor.cache');
  console.log(new (require('node:vm').Script)(wrapped, { cachedData }).cachedDataRejected);
`;

it('a runtime contains a code cache that Node accepts, and no leftovers of building it', async () => {
  const { name } = await buildRuntime(folder);
  const runtime = join(folder, name);
  const output = execFileSync(process.execPath, ['-e', CHECK, runtime], { encoding: 'utf8' });
  expect(output).toBe('false\n');
  expect(readdirSync(runtime)).not.toContain('door');
}, 60_000);

it('a supervisor that cannot start leaves a runtime without a code cache', async () => {
  const broken = join(folder, 'broken');
  const { name } = await buildRuntime(folder);
  execFileSync('cp', ['-r', join(folder, name), broken]);
  rmSync(join(broken, 'supervisor.cache'));
  writeFileSync(join(broken, 'supervisor.js'), 'process.exit(7)');
  expect(await buildCodeCache(broken)).toBe(false);
  expect(existsSync(join(broken, 'supervisor.cache'))).toBe(false);
}, 60_000);
