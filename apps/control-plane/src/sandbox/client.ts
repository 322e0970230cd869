/**
 * The client for anything that runs in a sandbox. The answer may come from anything: it never decides where the next request
 * goes, gets nothing that is meant for another host, and can neither hang the control plane nor fill its memory.
 */
import { ShipFailure, shipError } from '@ship/protocol';
import {
  type Meter,
  boundedAnswer,
  boundedStream,
  parsedJson,
  perEnvelope,
  wholeBody,
} from '../platform/bounded-body.ts';
import { ThreadShare } from '../platform/thread-share.ts';
import { wholeEvents } from '../platform/whole-events.ts';
import type { PortAddress } from './port.ts';

/** The most memory that one answer, or one message of a stream, may take. */
export const MAX_HELD_BYTES = 32 * 1024 * 1024;

export type SandboxFetch = (input: Request | URL | string, init?: RequestInit) => Promise<Response>;

interface ClientOptions {
  /** From the request to the end of the answer. Absent for a stream, whose reader watches for silence. */
  timeoutMs?: number;
  /** Server-sent events. */
  isStream?: boolean;
  maxBytes?: number;
}

/** Estimated processor time of reading: decoding, parsing and checking. */
const READ_MS_PER_MB = 15;
const EVENT_MS = 0.1;

/** For one port of one sandbox. A redirect is an error here; browsers get theirs from the port proxy. */
export function sandboxFetch({ url }: PortAddress, options: ClientOptions): SandboxFetch {
  const { origin } = new URL(url);
  const { timeoutMs, isStream = false, maxBytes = MAX_HELD_BYTES } = options;
  const share = new ThreadShare();
  const pace = (bytes: number, events = 0) =>
    share.spend((bytes / 1_000_000) * READ_MS_PER_MB + events * EVENT_MS);
  return async (input, init) => {
    const original = new Request(input, init);
    if (new URL(original.url).origin !== origin) throw new RefusedAnswer('leads to another host');
    const signals = [original.signal, ...(timeoutMs ? [AbortSignal.timeout(timeoutMs)] : [])];
    const request = new Request(original, { redirect: 'manual', signal: AbortSignal.any(signals) });
    const answer = await fetch(request);
    if (answer.status >= 300 && answer.status < 400) {
      await answer.body?.cancel();
      throw new RefusedAnswer('redirects');
    }
    const bound = { maxBytes, tooLong: () => tooLong(maxBytes) };
    if (isStream && answer.body !== null) {
      const { status, headers } = answer;
      return new Response(wholeEvents(answer.body, { ...bound, throttle: pace }), {
        status,
        headers,
      });
    }
    return boundedAnswer(answer, { ...parsedJson(), ...bound, throttle: pace });
  };
}

/** Handled like a bad gateway: a foreign program may be listening there. */
class RefusedAnswer extends Error {
  readonly status = 502;
  constructor(what: string) {
    super(`An answer from the sandbox ${what}; it is not followed.`);
  }
}

function tooLong(maxBytes: number): Error {
  const megabytes = Math.round(maxBytes / (1024 * 1024));
  return new ShipFailure(
    shipError(
      'limit-reached',
      `The sandbox answered with more than ${megabytes} MB at once.`,
      'Continue in a new session; the work in the repository is kept.',
    ),
  );
}

const ENVD_PORT = '49983';
const FILES_PATH = '/files';

/**
 * For answers that E2B's SDK reads: bounds its calls of the supervisor inside, whole or per message. Files are streamed;
 * `readText` limits those that are read into memory.
 */
export function guardSupervisor({ url, headers }: Request, answer: Response): Response {
  if (headers.get('e2b-sandbox-port') !== ENVD_PORT || new URL(url).pathname === FILES_PATH)
    return answer;
  const isStream = answer.headers.get('content-type')?.startsWith('application/connect+') === true;
  const meter: Meter = isStream ? perEnvelope() : wholeBody();
  const bound = { meter, maxBytes: MAX_HELD_BYTES, tooLong: () => tooLong(MAX_HELD_BYTES) };
  return boundedAnswer(answer, bound);
}

/** For a file that the control plane reads itself. */
const MAX_FILE_BYTES = 10_000_000;

/** A file's text. The size that was reported before may be outdated, so the bytes are counted. */
export function readText(body: ReadableStream<Uint8Array>): Promise<string> {
  const bound = { meter: wholeBody(), maxBytes: MAX_FILE_BYTES, tooLong: fileTooLarge };
  return new Response(boundedStream(body, bound)).text();
}

function fileTooLarge(): Error {
  return new ShipFailure(
    shipError(
      'too-large',
      `A file in the sandbox is larger than ${MAX_FILE_BYTES / 1_000_000} MB.`,
      'Open it in the terminal of the session instead.',
    ),
  );
}
