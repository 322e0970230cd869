/**
 * Measures the overhead of the model gateway: the time to the first byte of a stream, through the gateway and directly
 * from the same provider, alternating. The gateway checks the capability, reserves budget (two objects, each with its
 * disk) and adds the key.
 */
import { startDemoModel, parseScript } from '@ship/demo-model';
import { GatewayProcess } from '../../apps/control-plane/test/models/gateway-process.ts';
import { spread } from '../statistics.ts';
import { type Report, goal, median, round } from '../report.ts';

const ROUNDS = 60;
const WARM_UP = 10;
/** An agent works between two calls; meanwhile the budget is written. */
const PAUSE_MS = 350;
const GOAL_MS = 5;
/** About the size of an agent's request in the middle of a task. */
const PROMPT = 'word '.repeat(8_000);

export async function benchModels(): Promise<Report> {
  const script = parseScript({
    name: 'bench',
    rules: [{ name: 'any', when: { prompt: '*' }, steps: [{ say: 'Hello there.' }] }],
  });
  const model = await startDemoModel({ script });
  const gateway = await GatewayProcess.start({ DEMO_MODEL_URL: model.baseUrl });
  try {
    const session = await gateway.session({ models: ['demo/demo'] });
    const body = { model: 'demo', stream: true, messages: [{ role: 'user', content: PROMPT }] };
    const through = () => firstByte(() => session.call('demo/chat/completions', body));
    const straight = () =>
      firstByte(() =>
        fetch(`${model.baseUrl}/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      );
    const gatewayMs: number[] = [];
    const directMs: number[] = [];
    let cpuBefore = 0;
    for (let i = -WARM_UP; i < ROUNDS; i++) {
      if (i === 0) cpuBefore = gateway.cpuMs();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const [direct, passed] = [await straight(), await through()];
      if (i < 0) continue;
      directMs.push(direct);
      gatewayMs.push(passed);
    }
    const addedMs = round(median(gatewayMs) - median(directMs));
    return {
      goals: [goal('gateway overhead to the first byte (ms)', addedMs, GOAL_MS)],
      'through the gateway (ms)': spread(gatewayMs),
      'straight from the provider (ms)': spread(directMs),
      'overhead of the fastest (ms)': round(Math.min(...gatewayMs) - Math.min(...directMs)),
      'processor time per call (ms)': round((gateway.cpuMs() - cpuBefore) / ROUNDS),
      'request (bytes)': JSON.stringify(body).length,
    };
  } finally {
    await gateway.stop();
    await model.close();
  }
}

async function firstByte(ask: () => Promise<Response>): Promise<number> {
  const startMs = performance.now();
  const response = await ask();
  const reader = response.body?.getReader();
  await reader?.read();
  const ms = performance.now() - startMs;
  if (response.status !== 200) throw new Error(`the response status is ${response.status}`);
  while ((await reader?.read())?.done === false);
  return ms;
}
