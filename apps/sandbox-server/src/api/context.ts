import type { Context } from 'hono';
import type { Capabilities } from '../isolation/backend.ts';
import type { LifecycleContext, TemplateCatalog } from '../lifecycle/context.ts';
import { Refusal } from '../lifecycle/errors.ts';
import { SANDBOX_ID_PATTERN } from '../lifecycle/ids.ts';
import type { Metrics } from '../lifecycle/metrics.ts';
import type { WarmPool } from '../lifecycle/pool.ts';
import type { Sandboxes } from '../lifecycle/sandboxes.ts';
import type { ToolchainEntry } from '../toolchains/types.ts';

/** Dependencies of the routes. */
export interface ApiContext {
  apiKey: string;
  domain: string;
  maxTimeoutMs: number;
  lifecycle: LifecycleContext;
  sandboxes: Sandboxes;
  catalog: TemplateCatalog;
  pool: WarmPool;
  metrics: Metrics;
  capabilities: Capabilities;
  toolchains: readonly ToolchainEntry[];
}

const MAX_BODY_BYTES = 1_048_576;

async function bodyText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = Number(request.headers.get('content-length') ?? 0);
  const tooLarge = (): boolean => bytes > MAX_BODY_BYTES;
  if (!tooLarge()) bytes = 0;
  if (request.body !== null && !tooLarge()) {
    try {
      for await (const chunk of request.body) {
        bytes += chunk.length;
        if (tooLarge()) break;
        chunks.push(chunk);
      }
    } catch {
      throw new Refusal(400, 'Bad request: the connection closed before the body was complete.');
    }
  }
  if (tooLarge()) throw new Refusal(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  return Buffer.concat(chunks).toString('utf8');
}

/** The body as JSON; an absent one counts as empty, because many of E2B's bodies are optional. */
export async function jsonBody(context: Context): Promise<unknown> {
  const text = await bodyText(context.req.raw);
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'Bad request: the body is not JSON.');
  }
}

/** Strips the `-CLIENT` suffix that old clients append to the id. A malformed id is reported as not found. */
export function sandboxIdOf(context: Context): string {
  const id = (context.req.param('sandboxID') ?? '').split('-', 1)[0] ?? '';
  if (!SANDBOX_ID_PATTERN.test(id))
    throw new Refusal(404, 'Sandbox was not found: the id is malformed.');
  return id;
}

export function checkTimeout(api: ApiContext, timeoutMs: number): number {
  if (timeoutMs > api.maxTimeoutMs) {
    const maxSeconds = Math.floor(api.maxTimeoutMs / 1_000);
    throw new Refusal(
      400,
      `Timeout cannot be greater than ${maxSeconds} seconds.`,
      'Extend it later with setTimeout.',
    );
  }
  return timeoutMs;
}
