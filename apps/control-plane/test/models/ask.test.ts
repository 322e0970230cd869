/** Ship's own model calls, in all three protocols, to the scripted model over loopback. */
import { costMicros } from '@ship/core';
import { type DemoModel, parseScript, startDemoModel } from '@ship/demo-model';
import { createId } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askModel } from '../../src/models/ask.ts';
import { knownModel } from '../../src/models/known-model.ts';
import type { Provider } from '../../src/models/providers/provider.ts';
import type { CallCost, ModelCall, CallBudget } from '../../src/models/budget/port.ts';
import { NAMES, PROVIDERS, type ProviderName } from './requests.ts';

const KEY = 'sk-planted-0123456789abcdef';
const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, long: null };
const QUESTION = { system: 'You are brief.', maxAnswerTokens: 50 };

const script = parseScript({
  name: 'questions',
  rules: [
    {
      name: 'refused',
      when: { prompt: 'refuse' },
      steps: [{ say: 'no', faults: [{ kind: 'unauthorized', message: `bad key ${KEY}` }] }],
    },
    {
      name: 'hangs',
      when: { prompt: 'hang' },
      steps: [{ say: 'late', faults: [{ kind: 'hang-before-headers' }] }],
    },
    { name: 'leaks', when: { prompt: 'leak' }, steps: [{ say: `The key is ${KEY}.` }] },
    { name: 'any', when: { prompt: '*' }, steps: [{ think: 'Hm.', say: 'Fix the last page' }] },
  ],
});

describe('Ship’s own model calls', { timeout: 20_000 }, () => {
  let model: DemoModel;
  beforeAll(async () => {
    model = await startDemoModel({ script, apiKey: KEY });
  });
  afterAll(() => model.close());

  /** The gateway's dependencies, with a budget that records its calls. */
  function world(name: ProviderName) {
    const provider: Provider = {
      info: {
        providerId: name,
        name,
        protocol: PROVIDERS[name].protocol,
        baseUrl: model.baseUrl,
        hasKey: true,
        headerNames: [],
        models: { demo: { price: PRICE, outputTokens: 8_192 } },
        source: 'workspace',
        isDemo: false,
      },
      key: KEY,
      headers: {},
      isUnreadable: false,
      offers: 'all',
      reportsCost: false,
    };
    const reserved: ModelCall[] = [];
    const settled: [callId: string, cost: CallCost][] = [];
    const budget: CallBudget = {
      reserve: async (call) => {
        reserved.push(call);
        return { ok: true, value: { callId: call.callId, expiresAt: 0 } };
      },
      settle: async (...settlement) => void settled.push(settlement),
    };
    const parts = {
      registry: { require: async () => provider },
      models: {
        describe: async (of: Provider, id: string) => knownModel(of, id, undefined),
      },
      budget: () => budget,
    };
    const ask = (text: string, signal = new AbortController().signal) => {
      const call = { sessionId: createId('ses'), model: `${name}/demo` };
      return askModel(parts, { ...call, question: { ...QUESTION, text } }, signal);
    };
    return { ask, reserved, settled };
  }

  it.each(NAMES)('[NA3] a call reserves budget and settles its cost, in %s', async (name) => {
    const { ask, reserved, settled } = world(name);
    const before = model.served().entries.length;
    const { text, cost } = await ask('What is it about?');
    expect(text).toBe('Fix the last page');
    const entry = model.served().entries.at(before);
    expect(entry).toMatchObject({ outcome: 'served', rule: 'any' });
    expect(cost.isEstimate).toBe(false);
    // Some protocols count reasoning tokens apart, others within the output.
    const written = ({ outputTokens, reasoningTokens }: typeof cost.usage) =>
      outputTokens + reasoningTokens;
    expect(cost.usage.inputTokens).toBe(entry?.usage.inputTokens);
    expect(written(cost.usage)).toBe(entry && written(entry.usage));
    expect(cost.costMicros).toBe(costMicros(cost.usage, PRICE));
    expect(settled).toEqual([[reserved[0]?.callId, cost]]);
    // The limit on the answer bounds the reservation.
    expect(reserved[0]?.most.tokens).toBeLessThan(1_500);
  });

  it.each(NAMES)('[NA4] a refused call costs nothing and reveals no key, in %s', async (name) => {
    const { ask, settled } = world(name);
    const thrown: unknown = await ask('refuse').catch((error: unknown) => error);
    expect(thrown).toMatchObject({ error: { code: 'unavailable' } });
    expect(JSON.stringify(thrown) + String(thrown)).not.toContain(KEY);
    expect(settled).toMatchObject([[expect.any(String), { costMicros: 0 }]]);
  });

  it('[NA4] a hanging call times out, and its reservation is settled', async () => {
    const { ask, settled } = world('chat');
    await expect(ask('hang', AbortSignal.timeout(200))).rejects.toThrow(/time/i);
    expect(settled).toHaveLength(1);
  });

  it('[NA3] a key in the answer is masked', async () => {
    const { text } = await world('messages').ask('leak');
    expect(text).not.toContain(KEY);
    expect(text).toMatch(/^The key is /);
  });
});
