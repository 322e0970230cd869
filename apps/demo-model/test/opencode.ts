/** The real OpenCode binary, configured for a demo model and driven through its official SDK. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  type AssistantMessage,
  type GlobalEvent,
  type Part,
  createOpencodeClient,
} from '@opencode-ai/sdk/v2/client';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { opencodeEnvironment } from '../../../scripts/testing/opencode-environment.ts';
import { listening } from '../../../scripts/testing/opencode-listening.ts';
import { temporaryFolder } from './repository.ts';

const require = createRequire(import.meta.url);
const BINARY = join(dirname(require.resolve('opencode-linux-x64/package.json')), 'bin', 'opencode');

const PRICE = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };

/** `hasty` has a short timeout, so that tests of hangs are fast. */
const PROVIDERS = {
  chat: { npm: '@ai-sdk/openai-compatible', timeoutMs: 30_000 },
  messages: { npm: '@ai-sdk/anthropic', timeoutMs: 30_000 },
  responses: { npm: '@ai-sdk/openai', timeoutMs: 30_000 },
  hasty: { npm: '@ai-sdk/openai-compatible', timeoutMs: 1000 },
} as const;
export type ProviderId = keyof typeof PROVIDERS;

type Event = GlobalEvent['payload'];

export interface TurnRecord {
  sessionId: string;
  events: Event[];
  messages: { info: AssistantMessage; parts: Part[] }[];
  /** The newest assistant message. */
  last: AssistantMessage;
  text: string;
  tools: { name: string; status: string; input: Record<string, unknown>; output: string }[];
}

export interface PromptOptions {
  folder: string;
  text: string;
  sessionId?: string;
  provider?: ProviderId;
  model?: string;
  agent?: string;
  title?: string | null;
  timeoutMs?: number;
  /** Called for each event of the session; returning true aborts the turn. */
  stopWhen?: (event: Event) => boolean;
}

export class OpenCode {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #home: string;
  readonly #listeners = new Set<(event: Event) => void>();
  readonly #closing = new AbortController();

  private constructor(child: ChildProcess, url: string, home: string) {
    this.#child = child;
    this.#url = url;
    this.#home = home;
  }

  static async start(baseUrl: string): Promise<OpenCode> {
    const home = temporaryFolder('opencode');
    const port = await freePort();
    const child = spawn(BINARY, ['serve', '--port', String(port), '--hostname', '127.0.0.1'], {
      cwd: home,
      env: {
        ...opencodeEnvironment(home, configuration(baseUrl)),
        // Otherwise the tests that the agent runs would inherit the options of this test run.
        NODE_OPTIONS: '',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const url = await listening(child);
    const agent = new OpenCode(child, url, home);
    await agent.#subscribe();
    return agent;
  }

  client(folder: string) {
    return createOpencodeClient({ baseUrl: this.#url, directory: folder });
  }

  async prompt(options: PromptOptions): Promise<TurnRecord> {
    const client = this.client(options.folder);
    const sessionId = options.sessionId ?? (await this.#createSession(options));
    const events: Event[] = [];
    await new Promise<void>((resolve, reject) => {
      const timer = globalThis.setTimeout(() => {
        end();
        reject(
          new Error(
            `the turn did not end; last events: ${events
              .slice(-5)
              .map((e) => e.type)
              .join(', ')}`,
          ),
        );
      }, options.timeoutMs ?? 60_000);
      let busy = false;
      const listener = (event: Event): void => {
        if (sessionOf(event) !== sessionId) return;
        events.push(event);
        if (options.stopWhen?.(event) === true) void client.session.abort({ sessionID: sessionId });
        if (event.type === 'session.status' && event.properties.status.type === 'busy') busy = true;
        if (event.type === 'session.idle' && busy) {
          end();
          resolve();
        }
      };
      const end = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
      };
      this.#listeners.add(listener);
      client.session
        .promptAsync({
          sessionID: sessionId,
          model: { providerID: options.provider ?? 'chat', modelID: options.model ?? 'demo' },
          ...(options.agent === undefined ? {} : { agent: options.agent }),
          parts: [{ type: 'text', text: options.text }],
        })
        .catch(reject);
    });
    return this.#record(options.folder, sessionId, events);
  }

  async #createSession(options: PromptOptions): Promise<string> {
    // Without a title the agent requests one from the small model, in parallel to the turn.
    const title = options.title === undefined ? 'test' : options.title;
    const created = await this.client(options.folder).session.create(
      title === null ? {} : { title },
    );
    if (created.data === undefined) throw new Error('no session');
    return created.data.id;
  }

  /** The last message may be completed a moment after the session is idle. */
  async #settledMessages(folder: string, sessionId: string) {
    for (let attempt = 0; ; attempt++) {
      const all = (await this.client(folder).session.messages({ sessionID: sessionId })).data ?? [];
      const last = all.at(-1)?.info;
      const settled = last?.role === 'assistant' && last.time.completed !== undefined;
      if (settled || attempt === 20) return all;
      await setTimeout(100);
    }
  }

  async #record(folder: string, sessionId: string, events: Event[]): Promise<TurnRecord> {
    const all = await this.#settledMessages(folder, sessionId);
    const since = all.findLastIndex((message) => message.info.role === 'user');
    const messages = all
      .slice(since)
      .flatMap(({ info, parts }) => (info.role === 'assistant' ? [{ info, parts }] : []));
    const last = messages.at(-1)?.info;
    if (last === undefined) throw new Error('no assistant message');
    const parts = messages.flatMap((message) => message.parts);
    return {
      sessionId,
      events,
      messages,
      last,
      text: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
      tools: parts.flatMap((part) =>
        part.type === 'tool'
          ? [
              {
                name: part.tool,
                status: part.state.status,
                input: part.state.input,
                output:
                  part.state.status === 'completed'
                    ? part.state.output
                    : part.state.status === 'error'
                      ? part.state.error
                      : '',
              },
            ]
          : [],
      ),
    };
  }

  async #subscribe(): Promise<void> {
    const { stream } = await this.client(this.#home).global.event({ signal: this.#closing.signal });
    const pump = async (): Promise<void> => {
      for await (const event of stream) {
        for (const listener of this.#listeners) listener(event.payload);
      }
    };
    pump().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exit = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      const kill = globalThis.setTimeout(() => this.#child.kill('SIGKILL'), 2000);
      await exit;
      clearTimeout(kill);
    }
    rmSync(this.#home, { recursive: true, force: true });
  }
}

function sessionOf(event: Event): string | undefined {
  const { properties } = event as { properties?: { sessionID?: string } };
  return properties?.sessionID;
}

function model(name: string): unknown {
  return {
    name,
    tool_call: true,
    reasoning: true,
    cost: PRICE,
    limit: { context: 128_000, output: 8192 },
  };
}

function configuration(baseUrl: string): object {
  const models = { demo: model('Demo'), 'demo-small': model('Small'), 'gpt-demo': model('Patch') };
  const provider = ({ npm, timeoutMs }: { npm: string; timeoutMs: number }) => ({
    npm,
    name: npm,
    options: {
      baseURL: baseUrl,
      apiKey: 'test-key',
      headerTimeout: timeoutMs,
      chunkTimeout: timeoutMs,
    },
    models,
  });
  return {
    model: 'chat/demo',
    small_model: 'chat/demo-small',
    enabled_providers: Object.keys(PROVIDERS),
    provider: Object.fromEntries(
      Object.entries(PROVIDERS).map(([id, settings]) => [id, provider(settings)]),
    ),
    permission: { '*': 'allow', external_directory: 'deny', doom_loop: 'deny', question: 'allow' },
    agent: {
      plan: { permission: { edit: 'deny', task: 'deny', bash: { '*': 'deny', 'ls*': 'allow' } } },
    },
    experimental: { continue_loop_on_deny: true },
  };
}
