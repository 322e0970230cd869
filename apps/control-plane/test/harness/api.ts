/** A client of the API that holds a bearer token. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DurableEnvelope,
  HistoryPage,
  PromptReceipt,
  SandboxView,
  type SessionId,
  SessionReceipt,
  SessionView,
  type SettingsPatch,
} from '@ship/protocol';

let requests = 0;

export function newRequestId(): string {
  requests += 1;
  return `request-${process.pid}-${requests}`;
}

export interface Answer {
  status: number;
  text: string;
  json: unknown;
}

export class Api {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.#url}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    return { status: response.status, text, json: jsonOf(text) };
  }

  /** Throws unless the call succeeds. */
  async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, text, json } = await this.call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
    return json;
  }

  async create(body: Record<string, unknown> = {}): Promise<SessionReceipt> {
    const defaults = { requestId: newRequestId(), repository: '/srv/code/app' };
    return SessionReceipt.parse(await this.ask('POST', '/sessions', { ...defaults, ...body }));
  }

  async prompt(sessionId: SessionId, text: string, requestId = newRequestId()) {
    const path = `/sessions/${sessionId}/prompts`;
    return PromptReceipt.parse(await this.ask('POST', path, { requestId, text }));
  }

  async view(sessionId: SessionId): Promise<SessionView> {
    return SessionView.parse(await this.ask('GET', `/sessions/${sessionId}`));
  }

  async sandbox(sessionId: SessionId, action?: 'pause' | 'resume' | 'kill') {
    const path = `/sessions/${sessionId}/sandbox`;
    const answer = await (action === undefined
      ? this.ask('GET', path)
      : this.ask('POST', `${path}/${action}`, {}));
    return SandboxView.parse(answer).sandbox;
  }

  settings(patch: SettingsPatch): Promise<unknown> {
    return this.ask('PATCH', '/settings', patch);
  }

  /** The whole log, page by page. */
  async log(sessionId: SessionId): Promise<DurableEnvelope[]> {
    const events: DurableEnvelope[] = [];
    for (;;) {
      const path = `/sessions/${sessionId}/history?after=${events.at(-1)?.seq ?? 0}&limit=500`;
      const page = HistoryPage.parse(await this.ask('GET', path));
      if (page.events.length === 0) return events;
      events.push(...page.events);
    }
  }

  async types(sessionId: SessionId): Promise<string[]> {
    return (await this.log(sessionId)).map(({ type }) => type);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Polls until the condition holds; the error of a timeout contains the last value. */
export async function until<Value>(
  read: () => Promise<Value> | Value,
  holds: (value: Value) => boolean,
  timeoutMs = 45_000,
): Promise<Value> {
  const endMs = Date.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > endMs) throw new Error(`timed out; last value: ${JSON.stringify(value)}`);
    await sleep(40);
  }
}
