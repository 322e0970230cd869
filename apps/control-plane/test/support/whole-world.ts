/** All components of a session, driven over the API. */
import type { ScriptFile } from '@ship/demo-model';
import {
  type DurableEvent,
  HistoryPage,
  SessionReceipt,
  type SessionState,
  SessionView,
  knownEvent,
} from '@ship/protocol';
import { LOCAL_TOKEN } from '../git/support/control-plane.ts';
import { FORGE_TOKEN, type WorldParts, openWorldParts } from './world-parts.ts';

const TIMEOUT_MS = 150_000;

export class WholeWorld {
  readonly folder: string;
  readonly parts: WorldParts;

  private constructor(parts: WorldParts) {
    this.folder = parts.folder;
    this.parts = parts;
  }

  /** `warm` is the size of the warm pool: 0 by default, because its agents would slow unrelated tests. */
  static async open(
    rules: ScriptFile['rules'],
    warm = 0,
    options: Parameters<typeof openWorldParts>[1] = {},
  ): Promise<WholeWorld> {
    const world = new WholeWorld(await openWorldParts(rules, options));
    await world.call('PATCH', '/api/settings', { warm: { size: warm } });
    return world;
  }

  async call(method: string, path: string, body?: unknown): Promise<Response> {
    const response = await fetch(`${this.parts.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${LOCAL_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  async newSession(
    repository: string,
    prompt: string,
    more: Record<string, unknown> = {},
  ): Promise<string> {
    const requestId = `new-${crypto.randomUUID()}`;
    // With a person's title, the model gets requests for the work only; pass `title: null` for a generated one.
    const title = prompt.trim().split('\n')[0]?.slice(0, 80);
    const body = { requestId, repository, prompt, title, ...more };
    const made = await this.call('POST', '/api/sessions', body);
    return SessionReceipt.parse(await made.json()).sessionId;
  }

  async state(sessionId: string): Promise<SessionState> {
    const answer = await this.call('GET', `/api/sessions/${sessionId}`);
    return SessionView.parse(await answer.json()).state;
  }

  /** Waits until the session is idle with an empty queue, or has failed or paused. */
  async rest(sessionId: string): Promise<SessionState> {
    const until = Date.now() + TIMEOUT_MS;
    while (Date.now() < until) {
      const state = await this.state(sessionId);
      const { status } = state.activity;
      const hasEnded = status === 'failed' || status === 'paused';
      if (hasEnded || (status === 'idle' && state.queue.length === 0 && state.turnsFinished > 0))
        return state;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const { activity, sandbox, stages } = await this.state(sessionId);
    throw new Error(`it does not come to rest: ${JSON.stringify({ activity, sandbox, stages })}`);
  }

  async events(sessionId: string): Promise<DurableEvent[]> {
    const events: DurableEvent[] = [];
    for (let after = 0; ;) {
      const path = `/api/sessions/${sessionId}/history?after=${after}&limit=500`;
      const page = HistoryPage.parse(await (await this.call('GET', path)).json());
      const last = page.events.at(-1);
      if (last === undefined) return events;
      after = last.seq;
      events.push(...page.events.flatMap((envelope) => knownEvent(envelope) ?? []));
    }
  }

  /** The body of a session's pull request at the forge. */
  async pullRequestBody({ git }: SessionState): Promise<string> {
    const [path] = /\/([^/]+\/[^/]+)\/pull\/\d+/.exec(git.pullRequest?.url ?? '')?.slice(1) ?? [];
    const url = `${this.parts.forge.apiUrl}/repos/${path}/pulls/${git.pullRequest?.number}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${FORGE_TOKEN}` } });
    return ((await answer.json()) as { body: string }).body;
  }

  close(): Promise<void> {
    return this.parts.close();
  }
}
