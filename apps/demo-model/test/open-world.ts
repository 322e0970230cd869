/** Starts one OpenCode, one demo model and one folder for all suites of a test file. */
import { afterAll, beforeAll } from 'vitest';
import { type ScriptFile, parseScript, startDemoModel } from '../src/index.ts';
import { OpenCode } from './opencode.ts';
import { Repository } from './repository.ts';
import type { World } from './world.ts';

const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

export function openWorld(rules: ScriptFile['rules']): World {
  const world = {} as World;
  const script = parseScript({
    name: 'suites',
    models: ['demo', 'demo-small', 'gpt-demo'].map((id) => ({ id, price })),
    rules,
  });

  beforeAll(async () => {
    world.repository = new Repository();
    world.repository.replaceContents({ 'README.md': '# Suites\n' });
    world.model = await startDemoModel({ script });
    world.agent = await OpenCode.start(world.model.baseUrl);
  }, 60_000);

  afterAll(async () => {
    await world.agent?.close();
    await world.model?.close();
    world.repository?.remove();
  });

  return world;
}
