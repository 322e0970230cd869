/** Everything that a session needs, each the real one: control plane in workerd, sandboxes with OpenCode, forge, model. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DemoModel, type ScriptFile, parseScript, startDemoModel } from '@ship/demo-model';
import { type RunningForge, startForge } from '@ship/forge';
import {
  type DurableEvent,
  HistoryPage,
  SessionReceipt,
  type SessionState,
  SessionView,
  knownEvent,
} from '@ship/protocol';
import { type SandboxServer, startSandboxServer } from '@ship/sandbox-server';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import {
  LOCAL_TOKEN,
  type RunningControlPlane,
  startControlPlane,
} from '../git/support/control-plane.ts';

const API_KEY = 'e2b_0123456789';
const FORGE_TOKEN = 'forge-token-of-a-test';
const PATIENCE_MS = 150_000;

export class WholeWorld {
  readonly folder: string;
  readonly #parts: {
    model: DemoModel;
    forge: RunningForge;
    sandboxes: SandboxServer;
    plane: RunningControlPlane;
  };

  private constructor(
    folder: string,
    parts: {
      model: DemoModel;
      forge: RunningForge;
      sandboxes: SandboxServer;
      plane: RunningControlPlane;
    },
  ) {
    this.folder = folder;
    this.#parts = parts;
  }

  static async open(rules: ScriptFile['rules']): Promise<WholeWorld> {
    const folder = await preparedDataFolder();
    const port = await freePort();
    const script = parseScript({ name: 'session', rules, otherwise: 'general' });
    const model = await startDemoModel({ script });
    const tokens = [{ token: FORGE_TOKEN, login: 'ada' }];
    const forge = await startForge({ root: join(folder, 'forge'), tokens });
    const door = { address: `http://127.0.0.1:${port}` };
    const sandboxes = await startSandboxServer({
      apiKey: API_KEY,
      dataDir: join(folder, 'sandboxes'),
      gateways: { models: door, git: door },
    });
    await mkdir(join(folder, 'plane'));
    const plane = await startControlPlane(
      join(folder, 'plane'),
      { ...forge, token: FORGE_TOKEN },
      {
        port,
        bindings: {
          E2B_API_URL: sandboxes.apiUrl,
          E2B_SANDBOX_URL: sandboxes.sandboxUrl,
          E2B_API_KEY: API_KEY,
          DEMO_MODEL_URL: model.baseUrl,
        },
      },
    );
    return new WholeWorld(folder, { model, forge, sandboxes, plane });
  }

  async call(method: string, path: string, body?: unknown): Promise<Response> {
    const response = await fetch(`${this.#parts.plane.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${LOCAL_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  async newSession(repository: string, prompt: string): Promise<string> {
    const requestId = `new-${crypto.randomUUID()}`;
    const made = await this.call('POST', '/api/sessions', { requestId, repository, prompt });
    return SessionReceipt.parse(await made.json()).sessionId;
  }

  async state(sessionId: string): Promise<SessionState> {
    const answer = await this.call('GET', `/api/sessions/${sessionId}`);
    return SessionView.parse(await answer.json()).state;
  }

  /** Until nothing is going on any more, and nothing waits. */
  async rest(sessionId: string): Promise<SessionState> {
    const until = Date.now() + PATIENCE_MS;
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

  /** The text of a session's pull request, as the forge has it. */
  async pullRequestBody({ git }: SessionState): Promise<string> {
    const [path] = /\/([^/]+\/[^/]+)\/pull\/\d+/.exec(git.pullRequest?.url ?? '')?.slice(1) ?? [];
    const url = `${this.#parts.forge.apiUrl}/repos/${path}/pulls/${git.pullRequest?.number}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${FORGE_TOKEN}` } });
    return ((await answer.json()) as { body: string }).body;
  }

  async close(): Promise<void> {
    const { model, forge, sandboxes, plane } = this.#parts;
    await plane.stop();
    await sandboxes.close('stop');
    await forge.close();
    await model.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
