import type { ProviderInfo } from '@ship/protocol';

/** A provider with what it takes to call it. Lives in the gateway only; `info` is what anybody may know. */
export interface Provider {
  info: ProviderInfo;
  key: string | null;
  /** Added to each request. */
  headers: Record<string, string>;
  /** Its key is stored and cannot be decrypted. */
  isUnreadable: boolean;
  /** Which of the models that it lists are offered: `known` where most of them cannot do an agent's work. */
  offers: 'all' | 'known';
  /** It says in each answer what that cost (OpenRouter does). */
  reportsCost: boolean;
}

/** Headers also carry plain words, such as a team's name: masking those would spoil what the model says. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password/;

/** Everything of it that must never leave. */
export function secretsOf({ key, headers }: Provider): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    SECRET_HEADER.test(name) ? [value, value.replace(/^\w+ /, '')] : [],
  );
  return key === null ? values : [key, ...values];
}

/** Two hosts whose lists and answers are known to differ from the rest. */
export function habitsOf(baseUrl: string): Pick<Provider, 'offers' | 'reportsCost'> {
  const { hostname } = new URL(baseUrl);
  return {
    offers: ['api.anthropic.com', 'api.openai.com'].includes(hostname) ? 'known' : 'all',
    reportsCost: hostname === 'openrouter.ai',
  };
}

/** Of these a stream ends with its connection, and is billed no further. Others may write on for nobody. */
const STOPPING_HOSTS = ['api.anthropic.com', 'api.openai.com'];

export function stopsWhenLeft({ info }: Pick<Provider, 'info'>): boolean {
  return info.isDemo || STOPPING_HOSTS.includes(new URL(info.baseUrl).hostname);
}
