/** The real agent through the gateway, configured as in a session, with a capability instead of a key. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DemoModel, parseScript, startDemoModel } from '@ship/demo-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOKEN_VARIABLE } from '../../src/agent/opencode/config.ts';
import { toOpencodeModel } from '../../src/agent/opencode/model-name.ts';
import { GatewayProcess, type TestSession } from './gateway-process.ts';
import { OpenCodeServer } from './opencode.ts';

const MINUTE_MS = 60_000;
const KEY = 'sk-planted-0123456789abcdef';
const REFS = ['demo/demo', 'messages/demo', 'responses/demo'];

const script = parseScript({
  name: 'agent',
  rules: [
    {
      name: 'write',
      when: { prompt: { regex: 'write (\\w+)' } },
      steps: [
        {
          think: 'A file is wanted.',
          say: 'I write it.',
          calls: [
            { tool: 'write', input: { filePath: '{{folder}}/{{match.1}}.txt', content: 'x\n' } },
          ],
        },
        { say: 'Done.' },
      ],
    },
    {
      name: 'cut',
      when: { prompt: 'cut' },
      steps: [{ say: 'One two three four five six.', faults: [{ kind: 'cut-stream', times: 1 }] }],
    },
    { name: 'any', when: { prompt: '*' }, steps: [{ say: 'Hello.' }] },
  ],
});

let model: DemoModel;
let gateway: GatewayProcess;
let session: TestSession;
let agent: OpenCodeServer;
let configText = '';

beforeAll(async () => {
  model = await startDemoModel({ script });
  gateway = await GatewayProcess.start({ DEMO_MODEL_URL: model.baseUrl });
  for (const [id, protocol] of [
    ['messages', 'anthropic-messages'],
    ['responses', 'openai-responses'],
  ])
    // Sizes and prices come from the provider's model list.
    await gateway.api('PUT', `/providers/${id}`, { protocol, baseUrl: model.baseUrl, key: KEY });
  session = await gateway.session();
  const view = await session.agentConfig(REFS, gateway.url);
  await session.setTerms({ models: REFS });
  const config = view.agent ?? {};
  configText = JSON.stringify(config);
  agent = await OpenCodeServer.start(config, { [TOKEN_VARIABLE]: session.capability });
}, 2 * MINUTE_MS);

afterAll(async () => {
  await agent?.stop();
  await gateway?.stop();
  await model?.close();
});

describe('OpenCode through the gateway', { timeout: 2 * MINUTE_MS }, () => {
  it('is configured without a key', () => expect(configText).not.toContain('planted'));

  it.each(REFS)(
    '[GM2] %s: a turn with tools costs the session as much as the provider’s ledger says',
    async (ref) => {
      const [before, ledgerBefore] = [await session.view(), model.served()];
      const name = ref.replace('/', '');
      const answer = await agent.turn(toOpencodeModel(ref), `write ${name}`);
      expect(answer.error).toBeUndefined();
      expect(answer.text).toContain('Done.');
      expect(readFileSync(join(agent.folder, `${name}.txt`), 'utf8')).toBe('x\n');
      const after = await session.untilSettled();
      const ledger = model.served();
      const calls = ledger.entries.length - ledgerBefore.entries.length;
      const ledgerMicros = (ledger.totals.costPicoUsd - ledgerBefore.totals.costPicoUsd) / 1e6;
      const micros = after.spent.micros - before.spent.micros;
      expect(after.spent.calls - before.spent.calls).toBe(calls);
      expect(calls).toBeGreaterThanOrEqual(2);
      expect(ledgerMicros).toBeGreaterThan(0);
      // Each call is rounded to a millionth of a dollar.
      expect(Math.abs(micros - ledgerMicros)).toBeLessThanOrEqual(calls);
      expect(after.spent.estimatedCalls).toBe(before.spent.estimatedCalls);
    },
  );

  it('[GM10] the agent retries an answer that breaks off', async () => {
    const before = await session.view();
    const answer = await agent.turn(toOpencodeModel('demo/demo'), 'cut');
    expect(answer.error).toBeUndefined();
    expect(answer.text).toContain('One two three four five six.');
    const after = await session.untilSettled();
    expect(after.spent.estimatedCalls - before.spent.estimatedCalls).toBe(1);
  });

  it('[GM9] a spent budget ends the turn at once: the agent does not retry', async () => {
    const { spent } = await session.untilSettled();
    const requests = model.served().totals.requests;
    await session.setTerms({ models: REFS, session: { micros: spent.micros, tokens: null } });
    for (const ref of REFS) {
      const { error } = await agent.turn(toOpencodeModel(ref), 'write more');
      expect(error?.name).toBe('APIError');
      expect(error?.data).toMatchObject({ statusCode: 402, isRetryable: false });
      expect(error?.data.responseBody).toContain('"budget-exhausted"');
    }
    expect(model.served().totals.requests).toBe(requests);
    expect((await session.view()).spent.micros).toBe(spent.micros);
  });
});
