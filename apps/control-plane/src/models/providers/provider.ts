import type { ProviderInfo } from '@ship/protocol';

/** A provider with its secrets. Used in the gateway only; only `info` is public. */
export interface Provider {
  info: ProviderInfo;
  key: string | null;
  /** Added to each request. */
  headers: Record<string, string>;
  /** The stored key cannot be decrypted. */
  isUnreadable: boolean;
  /** Which of its listed models are offered: `known` when most of them are unsuitable for an agent. */
  offers: 'all' | 'known';
  /** Each response reports its cost, as OpenRouter's do. */
  reportsCost: boolean;
}

/** Only matching headers are secrets: masking plain words, such as a team's name, would garble the model's text. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password/;

/** All values that must be redacted. */
export function secretsOf({ key, headers }: Provider): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    SECRET_HEADER.test(name) ? [value, value.replace(/^\w+ /, '')] : [],
  );
  return key === null ? values : [key, ...values];
}

/** Hosts whose lists and responses are known to differ. */
export function quirksOf(baseUrl: string): Pick<Provider, 'offers' | 'reportsCost'> {
  const { hostname } = new URL(baseUrl);
  return {
    offers: ['api.anthropic.com', 'api.openai.com'].includes(hostname) ? 'known' : 'all',
    reportsCost: hostname === 'openrouter.ai',
  };
}

/** These hosts stop a stream and its billing when the connection ends. Others may continue to generate. */
const STOPPING_HOSTS = ['api.anthropic.com', 'api.openai.com'];

export function stopsWhenLeft({ info }: Pick<Provider, 'info'>): boolean {
  return info.isDemo || STOPPING_HOSTS.includes(new URL(info.baseUrl).hostname);
}
