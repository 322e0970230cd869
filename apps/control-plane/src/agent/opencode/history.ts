import type { OpencodeClient } from '@opencode-ai/sdk/v2/client';
import * as z from 'zod';
import type { AgentSignal, AgentSnapshot, ConversationStatus } from '../port.ts';
import {
  fromMessage,
  fromPart,
  fromRetry,
  fromPermission,
  fromQuestion,
  fromSession,
  toTodos,
} from './translate.ts';
import {
  WireHistory,
  WirePart,
  WirePermission,
  WireQuestion,
  WireSession,
  WireStatus,
  WireTodos,
} from './wire.ts';

const orThrow = { throwOnError: true } as const;
/** The depth of nested sub-agents: enough for any real work, and an end for a hostile one. */
const MAX_DEPTH = 4;
const MAX_CHILDREN = 50;
/** In total, at any depth. */
const MAX_SUBAGENTS = 200;
/** Parts that are parsed before yielding to other requests. */
const PARSE_BATCH = 50;

async function statusOf(client: OpencodeClient, sessionId: string) {
  const { data } = await client.session.status(undefined, orThrow);
  const status = WireStatus.safeParse(data[sessionId]);
  return { status, isIdle: !status.success || status.data.type === 'idle' };
}

export async function conversationStatusOf(
  client: OpencodeClient,
  sessionId: string,
): Promise<ConversationStatus> {
  const [{ response }, { isIdle }] = await Promise.all([
    client.session.get({ sessionID: sessionId }),
    statusOf(client, sessionId),
  ]);
  const exists = response?.ok ?? false;
  if (!exists) return 'absent';
  return isIdle ? 'idle' : 'busy';
}

/** OpenCode's own history from the first message with this prefix on, and its current state. */
export async function snapshotOf(
  client: OpencodeClient,
  sessionId: string,
  messagePrefix: string,
): Promise<AgentSnapshot> {
  // Reads the status first: if it is idle, the messages read after it are final.
  const { status, isIdle } = await statusOf(client, sessionId);
  const [history, asks, { data: todos }] = await Promise.all([
    historyOf(client, sessionId, messagePrefix, 0, { subagents: MAX_SUBAGENTS }),
    asksOf(client),
    client.session.todo({ sessionID: sessionId }, orThrow),
  ]);
  const todoList = WireTodos.safeParse(todos);
  const retrying =
    status.success && status.data.type === 'retry' ? [fromRetry(sessionId, status.data)] : [];
  return {
    isIdle,
    signals: [
      ...history,
      ...(todoList.success
        ? [{ kind: 'todos' as const, sessionId, todos: toTodos(todoList.data) }]
        : []),
      ...asks,
      ...retrying,
    ],
    openAsks: new Set(asks.flatMap((ask) => ('requestId' in ask ? [ask.requestId] : []))),
  };
}

async function historyOf(
  client: OpencodeClient,
  sessionId: string,
  messagePrefix: string,
  depth: number,
  left: { subagents: number },
): Promise<AgentSignal[]> {
  const { data } = await client.session.messages({ sessionID: sessionId }, orThrow);
  const messages = WireHistory.parse(data).sort(
    (a, b) => a.info.time.created - b.info.time.created,
  );
  const since = messages.findIndex(({ info }) => info.id.startsWith(messagePrefix));
  const turn = since === -1 ? [] : messages.slice(since);
  const own = await signalsIn(turn);
  if (depth === MAX_DEPTH || turn.length === 0) return own;
  const children = await client.session.children({ sessionID: sessionId }, orThrow);
  const startedAt = turn[0]?.info.time.created ?? 0;
  const sessions = z.array(WireSession.extend({ time: z.object({ created: z.number() }) }));
  const begun = sessions
    .parse(children.data)
    .filter(({ time }) => time.created >= startedAt)
    .slice(0, Math.min(MAX_CHILDREN, left.subagents));
  left.subagents -= begun.length;
  const below: AgentSignal[][] = [];
  for (const child of begun)
    below.push(fromSession(child), await historyOf(client, child.id, '', depth + 1, left));
  return [...below, own].flat();
}

async function signalsIn(messages: z.infer<typeof WireHistory>): Promise<AgentSignal[]> {
  const signals: AgentSignal[] = [];
  let parsedParts = 0;
  for (const { info, parts } of messages) {
    for (const part of parts) {
      parsedParts += 1;
      if (parsedParts % PARSE_BATCH === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      const parsed = WirePart.safeParse(part);
      // The text of a prompt is known already.
      if (parsed.success && info.role === 'assistant') signals.push(...fromPart(parsed.data));
    }
    signals.push(fromMessage(info));
  }
  return signals;
}

async function asksOf(client: OpencodeClient): Promise<AgentSignal[]> {
  const [questions, permissions] = await Promise.all([
    client.question.list({}, orThrow),
    client.permission.list({}, orThrow),
  ]);
  const list = z.array(z.unknown());
  return [
    ...list.parse(questions.data).flatMap((value) => {
      const parsed = WireQuestion.safeParse(value);
      return parsed.success ? [fromQuestion(parsed.data)] : [];
    }),
    ...list.parse(permissions.data).flatMap((value) => {
      const parsed = WirePermission.safeParse(value);
      return parsed.success ? [fromPermission(parsed.data)] : [];
    }),
  ];
}
