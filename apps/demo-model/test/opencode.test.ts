/** Everything that needs the real OpenCode binary: one agent, one demo model, one folder. */
import { afterAll, beforeAll } from 'vitest';
import { parseScript, startDemoModel } from '../src/index.ts';
import { OpenCode } from './opencode.ts';
import { Repository } from './repository.ts';
import { faultRules } from './suites/fault-rules.ts';
import { describeFaults } from './suites/faults.ts';
import { describeGeneral } from './suites/general.ts';
import { describeGoingOn, goingOnRules } from './suites/going-on.ts';
import { describeProtocols, protocolRules } from './suites/protocols.ts';
import type { World } from './world.ts';

const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const script = parseScript({
  name: 'suites',
  models: ['demo', 'demo-small', 'gpt-demo'].map((id) => ({ id, price })),
  rules: [...faultRules, ...protocolRules, ...goingOnRules],
});

const world = {} as World;

beforeAll(async () => {
  world.repository = new Repository();
  world.repository.become({ 'README.md': '# Suites\n' });
  world.model = await startDemoModel({ script });
  world.agent = await OpenCode.start(world.model.baseUrl);
}, 60_000);

afterAll(async () => {
  await world.agent?.close();
  await world.model?.close();
  world.repository?.remove();
});

describeProtocols(world);
describeFaults(world);
describeGoingOn(world);
describeGeneral(world);
