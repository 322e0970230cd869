import type { Provider } from '../providers/provider.ts';

/** Allow-list of request headers for the provider. Other headers could exfiltrate data. */
const REQUEST_HEADERS = ['accept', 'user-agent', 'anthropic-version', 'x-session-id'];

/** Allow-list of betas that only change how answers are written. Others grant larger contexts, network or stored files. */
const BETAS =
  /^(claude-code|interleaved-thinking|fine-grained-tool-streaming|token-efficient-tools|structured-outputs|effort|pdfs)-[\d-]+$/;

/** Allow-list of response headers: type, retry delay, request id and rate limits. */
const ANSWER_HEADERS =
  /^(content-type|retry-after|retry-after-ms|x-should-retry|request-id|x-request-id|(x-|anthropic-)ratelimit-[a-z0-9-]+)$/;

const ANTHROPIC_VERSION = '2023-06-01';

export function authHeaders({ info, key, headers }: Provider): Record<string, string> {
  if (info.protocol === 'anthropic-messages')
    return {
      'anthropic-version': ANTHROPIC_VERSION,
      ...(key !== null && { 'x-api-key': key }),
      ...headers,
    };
  return { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers };
}

/** Headers from the provider's settings override those of the sandbox. */
export function requestHeaders(provider: Provider, request: Request): Headers {
  const headers = new Headers({ 'content-type': 'application/json' });
  for (const name of REQUEST_HEADERS) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const betas = (request.headers.get('anthropic-beta') ?? '').split(/[\s,]+/);
  const allowed = betas.filter((beta) => BETAS.test(beta)).join(',');
  if (allowed !== '') headers.set('anthropic-beta', allowed);
  for (const [name, value] of Object.entries(authHeaders(provider)))
    if (name !== 'anthropic-version' || !headers.has(name)) headers.set(name, value);
  return headers;
}

export function responseHeaders(response: Response, clean: (text: string) => string): Headers {
  const headers = new Headers({ 'cache-control': 'no-store' });
  for (const [name, value] of response.headers)
    if (ANSWER_HEADERS.test(name)) headers.set(name, clean(value));
  return headers;
}
