import type { ModelRef, PermissionReply, QuestionAnswers } from '@ship/protocol';
import type {
  Agent,
  AgentPrompt,
  AgentSignal,
  AgentSnapshot,
  ConversationStatus,
} from '../port.ts';
import { attempt } from './failure.ts';
import { providerIdOf, splitModel } from './model-name.ts';
import type { OpencodeServer } from './server.ts';
import { exportOf } from './conversation.ts';
import { snapshotOf, conversationStatusOf } from './history.ts';
import { type BrokenServer, brokenServers, retryServers } from './servers.ts';
import { refusalOf } from './refusals.ts';
import { readSignals } from './stream.ts';

const orThrow = { throwOnError: true } as const;
const POLL_INTERVAL_MS = 150;
const MAX_POLLS = 20;
/** A prewarm that takes longer is abandoned, without harm. */
const PREWARM_TIMEOUT_MS = 60_000;

/** The operations of the sandbox that the agent needs. */
interface AgentSandbox {
  readFile(path: string): Promise<string>;
  rest(): Promise<void>;
}

/** One running OpenCode, through its official client. */
export class OpencodeAgent implements Agent {
  readonly #server: OpencodeServer;
  readonly #sandbox: AgentSandbox;

  constructor(server: OpencodeServer, sandbox: AgentSandbox) {
    this.#server = server;
    this.#sandbox = sandbox;
  }

  async openSession(title: string): Promise<string> {
    const { data } = await attempt('agent', () =>
      this.#server.client.session.create({ title }, orThrow),
    );
    return data.id;
  }

  conversationStatus(sessionId: string): Promise<ConversationStatus> {
    return attempt('agent', () => conversationStatusOf(this.#server.client, sessionId));
  }

  async prompt({
    sessionId,
    messageId,
    text,
    attachments,
    model,
    mode,
  }: AgentPrompt): Promise<void> {
    const { provider, id } = splitModel(model);
    await attempt('agent', () =>
      this.#server.client.session.promptAsync(
        {
          sessionID: sessionId,
          messageID: messageId,
          model: { providerID: providerIdOf(provider), modelID: id },
          agent: mode,
          // With ids chosen by Ship, sending it twice writes it once.
          parts: [
            { type: 'text', id: `prt_${messageId.slice(4)}_0`, text },
            ...attachments.map(({ filename, mime, url }, index) => ({
              type: 'file' as const,
              id: `prt_${messageId.slice(4)}_${index + 1}`,
              filename,
              mime,
              url,
            })),
          ],
        },
        orThrow,
      ),
    );
  }

  async *signals(signal: AbortSignal, onOpen: () => void): AsyncIterable<AgentSignal> {
    for await (const one of readSignals(this.#server.streaming, signal, onOpen))
      if (!(await this.#refuses(one))) yield one;
  }

  async snapshot(sessionId: string, messagePrefix: string): Promise<AgentSnapshot> {
    const found = await attempt('agent', () =>
      snapshotOf(this.#server.client, sessionId, messagePrefix),
    );
    const signals: AgentSignal[] = [];
    const openAsks = new Set(found.openAsks);
    for (const one of found.signals) {
      if (!(await this.#refuses(one))) signals.push(one);
      else if (one.kind === 'permission') openAsks.delete(one.requestId);
    }
    return { ...found, signals, openAsks };
  }

  /** A lost reply is repeated: the request is still open in the next snapshot. */
  async #refuses(signal: AgentSignal): Promise<boolean> {
    const refusal = signal.kind === 'permission' ? refusalOf(signal) : null;
    if (signal.kind !== 'permission' || refusal === null) return false;
    await this.answerPermission(signal.requestId, 'reject', refusal);
    return true;
  }

  async abort(sessionId: string): Promise<void> {
    await attempt('agent', () =>
      this.#server.client.session.abort({ sessionID: sessionId }, orThrow),
    );
  }

  async answerQuestion(requestId: string, answers: QuestionAnswers | null): Promise<void> {
    const { question } = this.#server.client;
    await attempt('agent', () =>
      answers === null
        ? ignoreGone(question.reject({ requestID: requestId }))
        : ignoreGone(question.reply({ requestID: requestId, answers })),
    );
  }

  async answerPermission(
    requestId: string,
    reply: PermissionReply,
    message: string | null,
  ): Promise<void> {
    const reason = message === null ? {} : { message };
    await attempt('agent', () =>
      ignoreGone(this.#server.client.permission.reply({ requestID: requestId, reply, ...reason })),
    );
  }

  async prewarm(model: ModelRef): Promise<boolean> {
    const sessionId = await this.openSession('Prewarm');
    const messageId = `msg_${crypto.randomUUID().replaceAll('-', '')}`;
    const trial = { sessionId, messageId, text: 'hello', attachments: [], model };
    let sending: Promise<void> | undefined;
    // Any refusal by the gateway counts: everything before the call has run.
    const isComplete = await this.#waitFor(
      (signal) => signal.sessionId === sessionId && isRefused(signal),
      () => {
        sending ??= this.prompt({ ...trial, mode: 'build' });
      },
    );
    await sending;
    await this.abort(sessionId);
    await attempt('agent', () =>
      this.#server.client.session.delete({ sessionID: sessionId }, orThrow),
    );
    return isComplete;
  }

  /** A busy agent may be silent for so long that its stream counts as dead: that is no answer, so it reconnects. */
  async #waitFor(matches: (signal: AgentSignal) => boolean, onOpen: () => void): Promise<boolean> {
    const leaving = new AbortController();
    const timer = setTimeout(() => leaving.abort(), PREWARM_TIMEOUT_MS);
    try {
      while (!leaving.signal.aborted) {
        for await (const signal of this.signals(leaving.signal, onOpen))
          if (matches(signal)) return true;
        await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
      }
      return false;
    } finally {
      clearTimeout(timer);
      leaving.abort();
    }
  }

  brokenServers(): Promise<BrokenServer[]> {
    return brokenServers(this.#server.client);
  }

  retryServers(): Promise<void> {
    return retryServers(this.#server.client);
  }

  async reload(): Promise<void> {
    await attempt('agent', () => this.#server.client.instance.dispose({}, orThrow));
  }

  rest(): Promise<void> {
    return this.#sandbox.rest();
  }

  exportSession(sessionId: string): Promise<string> {
    return attempt('agent', () => exportOf(this.#server.client, sessionId));
  }

  /** OpenCode names the file when the tool has ended, which may be before the file is complete. */
  async readOutput(path: string): Promise<string> {
    let text = await attempt('sandbox', () => this.#sandbox.readFile(path));
    for (let poll = 0; poll < MAX_POLLS; poll++) {
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
      const again = await attempt('sandbox', () => this.#sandbox.readFile(path));
      if (again.length === text.length) break;
      text = again;
    }
    return text;
  }
}

function isRefused({ kind }: AgentSignal): boolean {
  return kind === 'idle' || kind === 'error' || kind === 'retrying';
}

/** Another client was faster, or the agent no longer waits: either way there is nothing left to do. */
async function ignoreGone(
  call: Promise<{ error?: unknown; response?: Response | undefined }>,
): Promise<void> {
  const { error, response } = await call;
  if (error === undefined || response?.status === 404) return;
  throw Object.assign(new Error('answer refused'), { status: response?.status });
}
