import { ModelFacts, ModelPrice, ShipFailure } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import type { OpenProvider } from '../workspace/providers.ts';
import { agentModels, modelsOf } from './agent-models.ts';
import catalogue from './catalogue/catalogue.json' with { type: 'json' };
import { Models } from './model-list.ts';
import { Probes } from './probe.ts';
import type { ModelsEnv } from './providers/environment.ts';
import { ProviderRegistry } from './providers/registry.ts';

const KEYS: ModelsEnv = {
  ANTHROPIC_API_KEY: 'sk-ant-planted-0123456789',
  OPENAI_API_KEY: 'sk-planted-0123456789',
  OPENROUTER_API_KEY: 'sk-or-planted-0123456789',
  OLLAMA_HOST: '127.0.0.1:11434',
  DEMO_MODEL_URL: 'http://127.0.0.1:4000/v1',
};

const added: OpenProvider = {
  providerId: 'mine',
  name: 'Mine',
  protocol: 'openai-chat',
  baseUrl: 'https://models.example/v1',
  hasKey: true,
  headerNames: [],
  models: { small: { contextTokens: 4_000 } },
  source: 'workspace',
  isDemo: false,
  secrets: { key: 'planted-key-of-mine', headers: {} },
};

/** The list of each server; a number is the status that it returns instead. */
type Lists = Record<string, unknown[] | number>;

function fixture(env: ModelsEnv, lists: Lists = {}, open: OpenProvider[] = []) {
  const requestedHosts: string[] = [];
  const registry = new ProviderRegistry({
    env,
    // A stub with only this method.
    workspace: () => ({ openProviders: async () => ({ ok: true, value: open }) }) as never,
  });
  const probes = new Probes(async (input) => {
    const { host } = new URL(input);
    requestedHosts.push(host);
    const list = lists[host];
    if (list === undefined) throw new TypeError('connection refused');
    if (typeof list === 'number') return new Response('no', { status: list });
    return Response.json({ data: list });
  });
  return { registry, requestedHosts, models: new Models(registry, probes) };
}

const failure = async (work: Promise<unknown>) => {
  const thrown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(thrown instanceof ShipFailure)) throw new Error('expected a refusal');
  return thrown.error;
};

describe('catalogue', () => {
  it('[PV5] is dated, says that prices change, and has sizes and prices for each model', () => {
    expect(catalogue.about).toMatch(/change/);
    expect(Date.parse(catalogue.checkedOn)).not.toBeNaN();
    for (const { models, smallModel } of Object.values(catalogue.providers)) {
      expect(Object.keys(models)).toContain(smallModel);
      for (const model of Object.values(models)) {
        const { price, contextTokens, outputTokens } = ModelFacts.parse(model);
        const { input, output, cacheRead } = ModelPrice.parse(price);
        expect(cacheRead).toBeLessThanOrEqual(input);
        expect(input).toBeLessThan(output);
        expect(contextTokens ?? 0).toBeGreaterThanOrEqual(outputTokens ?? 1);
      }
    }
  });
});

describe('providers', () => {
  it('[PV6] come from the environment, models.json and the workspace; later sources override earlier ones', async () => {
    const file = {
      providers: { openai: { protocol: 'openai-chat', baseUrl: 'https://file.example/v1/' } },
    };
    const env = { ...KEYS, MODELS_FILE: JSON.stringify(file) };
    const mine = { ...added, providerId: 'anthropic' };
    const all = await fixture(env, {}, [mine]).registry.all();
    expect(all.map(({ info }) => [info.providerId, info.source, info.baseUrl])).toEqual([
      ['anthropic', 'workspace', 'https://models.example/v1'],
      ['openai', 'file', 'https://file.example/v1'],
      ['openrouter', 'environment', 'https://openrouter.ai/api/v1'],
      ['ollama', 'environment', 'http://127.0.0.1:11434/v1'],
      ['demo', 'environment', 'http://127.0.0.1:4000/v1'],
    ]);
    expect(JSON.stringify(all.map(({ info }) => info))).not.toContain('planted');
  });

  it.each([
    [{ MODELS_FILE: '{' }, 'not valid JSON'],
    [{ MODELS_FILE: '{"providers":{"x":{"protocol":"smoke"}}}' }, 'providers.x.protocol'],
    [{ MODELS_FILE: '{"providers":{"x":{"protocol":"openai-chat","baseUrl":"ftp://x"}}}' }, 'http'],
    [{ DEMO_MODEL_URL: 'http://user:pw@127.0.0.1' }, 'DEMO_MODEL_URL must not contain credentials'],
    [{ OLLAMA_HOST: 'http://[' }, 'OLLAMA_HOST'],
  ])('[PV3] an error in %o names its place', async (env, words) => {
    const error = await failure(fixture(env).registry.all());
    expect([error.code, error.message.includes(words)]).toEqual(['misconfigured', true]);
    expect(error.message).not.toContain('pw');
  });
});

describe('models', () => {
  const LISTS: Lists = {
    'api.anthropic.com': [
      { id: 'claude-sonnet-5', display_name: 'Claude Sonnet 5' },
      { id: 'claude-haiku-4-5-20251001' },
      { id: 'claude-of-tomorrow' },
    ],
    'api.openai.com': 401,
    'openrouter.ai': [
      {
        id: 'maker/new',
        name: 'New',
        context_length: 9_000,
        pricing: { prompt: '0.000001', completion: '0.000002' },
      },
      { id: 'maker/odd', pricing: { prompt: 'many', completion: '-1' } },
      { id: 'has space' },
      'nonsense',
    ],
    '127.0.0.1:11434': [{ id: 'llama' }],
    '127.0.0.1:4000': 404,
    'models.example': [{ id: 'large' }],
  };

  it('[PV4] are listed for providers that respond; the scripted model is the last resort', async () => {
    const { models } = fixture(KEYS, LISTS, [added]);
    const list = await models.list(null);
    const byRef = Object.fromEntries(list.models.map((model) => [model.ref, model]));
    expect(list.defaultModel).toBe('anthropic/claude-sonnet-5');
    expect(byRef['anthropic/claude-sonnet-5']).toMatchObject({
      isDefault: true,
      contextTokens: 1_000_000,
    });
    expect(byRef).toHaveProperty(['anthropic/claude-haiku-4-5']);
    expect(byRef).not.toHaveProperty(['anthropic/claude-of-tomorrow']);
    expect(byRef).not.toHaveProperty(['anthropic/claude-opus-5-5']);
    expect(byRef['openrouter/maker/new']?.price).toMatchObject({
      input: 1,
      output: 2,
      cacheRead: 1,
    });
    expect(byRef['openrouter/maker/odd']?.price).toBeNull();
    expect(byRef['ollama/llama']?.price).toMatchObject({ input: 0, output: 0 });
    expect(byRef['demo/demo']).toMatchObject({ isDemo: true });
    expect(byRef['mine/large']).toMatchObject({ price: null, contextTokens: null });
    expect(byRef['mine/small']).toMatchObject({ price: null, contextTokens: 4_000 });
    expect(list.unavailable.map(({ providerId, error }) => [providerId, error.code])).toEqual([
      ['openai', 'credentials-refused'],
    ]);
    expect((await models.list('demo/demo-small')).defaultModel).toBe('demo/demo-small');
    expect((await models.list('gone/x')).defaultModel).toBe('anthropic/claude-sonnet-5');
  });

  it('[PV4] probes are cached for a while', async () => {
    const { models, requestedHosts } = fixture(
      { DEMO_MODEL_URL: 'http://127.0.0.1:4000/v1' },
      LISTS,
    );
    await models.list(null);
    await models.list(null);
    expect(requestedHosts).toEqual(['127.0.0.1:4000']);
  });

  it('[PV7] an unknown model is refused with the available ones', async () => {
    const { models } = fixture({ DEMO_MODEL_URL: 'http://127.0.0.1:4000/v1' }, LISTS);
    expect((await models.resolve(null, null)).ref).toBe('demo/demo');
    expect((await models.resolve('demo/demo-small', null)).ref).toBe('demo/demo-small');
    const error = await failure(models.resolve('anthropic/claude-sonnet-5', null));
    expect(error).toMatchObject({
      code: 'model-unavailable',
      category: 'user-action',
      action: { kind: 'open-settings', section: 'models' },
    });
    expect(error.message).toContain('demo/demo, demo/demo-small');
    const none = await failure(fixture({}).models.resolve(null, null));
    expect(none.message).toContain('Available: none');
    expect(none.remedy).toContain('ANTHROPIC_API_KEY');
  });

  it('[PV1] a provider with an unreadable key offers nothing and is not probed', async () => {
    const { models, requestedHosts } = fixture({}, LISTS, [{ ...added, secrets: null }]);
    const list = await models.list(null);
    expect(list.models).toEqual([]);
    expect(list.unavailable[0]?.error.code).toBe('secret-unreadable');
    expect(requestedHosts).toEqual([]);
  });
});

const GATEWAY = 'http://127.0.0.1:7001';

describe('agentModels', () => {
  it('[GM12] points to the gateway, has sizes and prices, and contains no key', async () => {
    const parts = fixture(KEYS, { 'openrouter.ai': [] });
    const known = await agentModels(parts, 'anthropic/claude-sonnet-5', GATEWAY);
    expect(modelsOf('anthropic/claude-sonnet-5')).toEqual([
      'anthropic/claude-sonnet-5',
      'anthropic/claude-haiku-4-5',
    ]);
    expect(known).toMatchObject({
      smallModel: 'anthropic/claude-haiku-4-5',
      isPriced: true,
      providers: [
        {
          id: 'anthropic',
          protocol: 'messages',
          baseUrl: `${GATEWAY}/gateway/models/anthropic`,
          models: [
            { id: 'claude-sonnet-5', price: { input: 2 }, contextTokens: 1_000_000 },
            { id: 'claude-haiku-4-5' },
          ],
        },
      ],
    });
    const unknown = await agentModels(parts, 'openrouter/maker/unknown', GATEWAY);
    expect(unknown.isPriced).toBe(false);
    expect(JSON.stringify([known, unknown])).not.toContain('planted');
    const error = await failure(agentModels(parts, 'nobody/x', GATEWAY));
    expect([error.code, error.message.includes('anthropic, openai')]).toEqual(['not-found', true]);
  });
});
