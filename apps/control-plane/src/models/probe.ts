import { classify } from '@ship/core';
import { type ModelFacts, type ShipError, openSettings, shipError } from '@ship/protocol';
import * as z from 'zod';
import { operatorFetch } from '../platform/outbound.ts';
import { authHeaders } from './gateway/upstream-headers.ts';
import type { Provider } from './providers/provider.ts';

const PROBE_TIMEOUT_MS = 4_000;
const SUCCESS_TTL_MS = 60_000;
const FAILURE_TTL_MS = 5_000;
const MAX_LISTED = 1_000;
const MAX_CACHED = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** `models` is null when the server has no model list. */
export type Probed =
  | { ok: true; models: ReadonlyMap<string, ModelFacts> | null }
  | { ok: false; error: ShipError };

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Asks providers for their models, with a short timeout, and caches the result. */
export class Probes {
  readonly #fetch: Fetch;
  readonly #cache = new Map<string, { probed: Probed; until: number }>();

  constructor(fetcher: Fetch = operatorFetch) {
    this.#fetch = fetcher;
  }

  async ask(provider: Provider): Promise<Probed> {
    const { providerId, baseUrl } = provider.info;
    // A new key or address must not hit the old entry.
    const cacheKey = `${providerId}\n${baseUrl}\n${provider.key ?? ''}`;
    const cached = this.#cache.get(cacheKey);
    if (cached !== undefined && cached.until > Date.now()) return cached.probed;
    // Cache only results: in workerd a request must not await another request's promise.
    const probed = await this.#probe(provider);
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(cacheKey, {
      probed,
      until: Date.now() + (probed.ok ? SUCCESS_TTL_MS : FAILURE_TTL_MS),
    });
    return probed;
  }

  async #probe(provider: Provider): Promise<Probed> {
    if (provider.isUnreadable) return { ok: false, error: unreadable(provider) };
    try {
      const response = await this.#fetch(`${provider.info.baseUrl}/models`, {
        headers: { ...authHeaders(provider), accept: 'application/json' },
        redirect: 'manual',
        signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
      });
      if (response.status === 404 || response.status === 405) return { ok: true, models: null };
      if (!response.ok) return { ok: false, error: refusedWith(response.status) };
      return { ok: true, models: await readModels(response) };
    } catch (thrown) {
      const isLate = thrown instanceof Error && thrown.name === 'TimeoutError';
      const code = isLate ? 'ETIMEDOUT' : 'ECONNREFUSED';
      return { ok: false, error: classify({ boundary: 'model', code }) };
    }
  }
}

const refusedWith = (status: number): ShipError => classify({ boundary: 'model', status });

const unreadable = ({ info }: Provider): ShipError =>
  shipError(
    'secret-unreadable',
    `The key of ${info.name} cannot be decrypted.`,
    'Set the key of the provider again.',
    openSettings('models'),
  );

const perToken = z.union([z.string(), z.number()]).transform(Number).pipe(z.number().nonnegative());

/** Fields that common servers add to OpenAI's list: OpenRouter has prices per token as text, Ship per million tokens. */
const Listed = z.looseObject({
  id: z.string().min(1).max(150),
  name: z.string().max(200).optional().catch(undefined),
  display_name: z.string().max(200).optional().catch(undefined),
  context_length: z.int().positive().optional().catch(undefined),
  max_output_tokens: z.int().positive().optional().catch(undefined),
  top_provider: z
    .looseObject({ max_completion_tokens: z.int().positive() })
    .optional()
    .catch(undefined),
  usd_per_million_tokens: z
    .object({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number(),
      cacheWrite: z.number(),
    })
    .optional()
    .catch(undefined),
  pricing: z
    .looseObject({
      prompt: perToken,
      completion: perToken,
      input_cache_read: perToken.optional(),
      input_cache_write: perToken.optional(),
    })
    .optional()
    .catch(undefined),
});

async function readModels(response: Response): Promise<ReadonlyMap<string, ModelFacts> | null> {
  const text = (await response.text()).slice(0, MAX_BYTES);
  const parsed = z.looseObject({ data: z.array(z.unknown()) }).safeParse(jsonOf(text));
  if (!parsed.success) return null;
  const models = new Map<string, ModelFacts>();
  for (const item of parsed.data.data.slice(0, MAX_LISTED)) {
    const listed = Listed.safeParse(item);
    if (listed.success && !/\s/.test(listed.data.id))
      models.set(listed.data.id, factsOf(listed.data));
  }
  return models;
}

function factsOf(listed: z.infer<typeof Listed>): ModelFacts {
  return {
    name: listed.name ?? listed.display_name ?? listed.id,
    contextTokens: listed.context_length ?? null,
    outputTokens: listed.max_output_tokens ?? listed.top_provider?.max_completion_tokens ?? null,
    price: priceOf(listed),
  };
}

const MILLION = 1_000_000;

function priceOf({ usd_per_million_tokens: own, pricing }: z.infer<typeof Listed>) {
  if (own !== undefined) return { ...own, long: null };
  if (pricing === undefined) return null;
  return {
    input: pricing.prompt * MILLION,
    output: pricing.completion * MILLION,
    cacheRead: (pricing.input_cache_read ?? pricing.prompt) * MILLION,
    cacheWrite: (pricing.input_cache_write ?? pricing.prompt) * MILLION,
    long: null,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
