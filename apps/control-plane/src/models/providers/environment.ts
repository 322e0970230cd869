import {
  BaseUrl,
  type ModelPrice,
  type ModelProtocol,
  ModelsFile,
  type ProviderId,
  ProviderId as ProviderIdSchema,
  type ProviderSource,
  type ProviderWrite,
  fail,
} from '@ship/protocol';
import { type Provider, quirksOf } from './provider.ts';

/** Environment variables that configure model providers. */
export interface ModelsEnv {
  ANTHROPIC_API_KEY?: string | null;
  OPENAI_API_KEY?: string | null;
  OPENROUTER_API_KEY?: string | null;
  /** In Ollama's format: `127.0.0.1:11434` or a URL. */
  OLLAMA_HOST?: string | null;
  /** The scripted demo model; ends with `/v1`. */
  DEMO_MODEL_URL?: string | null;
  /** The text of `models.json` in the data folder. */
  MODELS_FILE?: string | null;
}

export const FREE: ModelPrice = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, long: null };

export function environmentProviders(env: ModelsEnv): Provider[] {
  return [
    ...hosted(
      'anthropic',
      'Anthropic',
      'anthropic-messages',
      'https://api.anthropic.com/v1',
      env.ANTHROPIC_API_KEY,
    ),
    ...hosted(
      'openai',
      'OpenAI',
      'openai-responses',
      'https://api.openai.com/v1',
      env.OPENAI_API_KEY,
    ),
    ...hosted(
      'openrouter',
      'OpenRouter',
      'openai-chat',
      'https://openrouter.ai/api/v1',
      env.OPENROUTER_API_KEY,
    ),
    ...local('ollama', 'Ollama', 'OLLAMA_HOST', ollamaUrl(env.OLLAMA_HOST)),
    ...local('demo', 'Demo (scripted)', 'DEMO_MODEL_URL', env.DEMO_MODEL_URL),
  ];
}

function hosted(
  providerId: string,
  name: string,
  protocol: ModelProtocol,
  baseUrl: string,
  key: string | null | undefined,
): Provider[] {
  return key
    ? [provider(ProviderIdSchema.parse(providerId), { name, protocol, baseUrl, key })]
    : [];
}

/** The providers of `models.json`; an error names the path of the mistake. */
export function fileProviders({ MODELS_FILE }: ModelsEnv): Provider[] {
  if (!MODELS_FILE) return [];
  const parsed = ModelsFile.safeParse(jsonOf(MODELS_FILE));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return fail(
      'misconfigured',
      `models.json: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'does not fit'}.`,
      'Correct it in the data folder and start Ship again; docs/models.md describes it.',
    );
  }
  return Object.entries(parsed.data.providers).map(([providerId, write]) =>
    provider(ProviderIdSchema.parse(providerId), write, 'file'),
  );
}

function local(providerId: string, name: string, variable: string, url?: string | null) {
  if (!url) return [];
  const baseUrl = BaseUrl.safeParse(url);
  if (!baseUrl.success)
    return fail(
      'misconfigured',
      `${variable} ${baseUrl.error.issues[0]?.message ?? 'is not a URL'}.`,
      'Correct it in the environment and start Ship again.',
    );
  const write = { name, protocol: 'openai-chat' as const, baseUrl: baseUrl.data };
  return [provider(ProviderIdSchema.parse(providerId), write)];
}

function ollamaUrl(host: string | null | undefined): string | null {
  if (!host) return null;
  const url = /^https?:/.test(host) ? host : `http://${host}`;
  return `${url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;
}

type Given = Pick<ProviderWrite, 'protocol' | 'baseUrl'> & Partial<ProviderWrite>;

function provider(
  providerId: ProviderId,
  { name, protocol, baseUrl, key = null, headers = {}, models = {} }: Given,
  source: ProviderSource = 'environment',
): Provider {
  return {
    info: {
      providerId,
      name: name ?? providerId,
      protocol,
      baseUrl,
      hasKey: key !== null,
      headerNames: Object.keys(headers).sort(),
      models,
      source,
      isDemo: source === 'environment' && providerId === 'demo',
    },
    key,
    headers,
    isUnreadable: false,
    ...quirksOf(baseUrl),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fail('misconfigured', 'models.json is not valid JSON.', 'Fix it and start Ship again.');
  }
}
