/**
 * The parts of OpenCode's messages that Ship reads. They come from a sandbox in which anything may run, so they are parsed like
 * any other input: what does not fit is dropped, and nothing can exceed the limits below.
 */
import * as z from 'zod';

const text = z.string();
const ref = z.string().min(1).max(200);
/** No real count is larger, and sums of these stay exact. */
const MAX_COUNT = 1e13;
const count = z
  .number()
  .catch(0)
  .transform((value) => Math.min(MAX_COUNT, Math.max(0, Math.round(value))));
const record = z.record(z.string(), z.unknown()).catch({});

const failure = z
  .object({
    name: text,
    data: z
      .object({ statusCode: z.number().optional(), isRetryable: z.boolean().optional() })
      .catch({}),
  })
  .optional()
  .catch(undefined);
export type WireFailure = NonNullable<z.infer<typeof failure>>;

const tokens = z
  .object({
    input: count,
    output: count,
    reasoning: count,
    cache: z.object({ read: count, write: count }).catch({ read: 0, write: 0 }),
  })
  .catch({ input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } });

const time = z.object({ start: count, end: count.optional() });

export const WireMessage = z.discriminatedUnion('role', [
  z.object({
    role: z.literal('user'),
    id: ref,
    sessionID: ref,
    time: z.object({ created: count }),
  }),
  z.object({
    role: z.literal('assistant'),
    id: ref,
    sessionID: ref,
    time: z.object({ created: count, completed: count.optional() }),
    finish: text.optional(),
    summary: z.boolean().optional().catch(undefined),
    error: failure,
  }),
]);
export type WireMessage = z.infer<typeof WireMessage>;

const toolState = z.discriminatedUnion('status', [
  z.object({ status: z.literal('pending') }),
  z.object({
    status: z.literal('running'),
    input: record,
    title: text.optional(),
    metadata: record.optional(),
    time,
  }),
  z.object({
    status: z.literal('completed'),
    input: record,
    output: text,
    title: text,
    metadata: record,
    time,
  }),
  z.object({
    status: z.literal('error'),
    input: record,
    error: text,
    metadata: record.optional(),
    time,
  }),
]);

const part = { id: ref, sessionID: ref, messageID: ref };

export const WirePart = z.discriminatedUnion('type', [
  z.object({
    ...part,
    type: z.enum(['text', 'reasoning']),
    text,
    synthetic: z.boolean().optional(),
    time: time.optional().catch(undefined),
  }),
  z.object({ ...part, type: z.literal('tool'), callID: ref, tool: text, state: toolState }),
  z.object({
    ...part,
    type: z.literal('step-finish'),
    reason: text,
    cost: z.number().nonnegative().max(100_000).catch(0),
    tokens,
  }),
  z.object({ ...part, type: z.literal('compaction') }),
]);
export type WirePart = z.infer<typeof WirePart>;

const askingTool = z.object({ callID: ref }).optional().catch(undefined);

export const WireQuestion = z.object({
  id: ref,
  sessionID: ref,
  tool: askingTool,
  questions: z
    .array(
      z.object({
        question: text,
        header: text.catch(''),
        options: z.array(z.object({ label: text, description: text.catch('') })).catch([]),
        multiple: z.boolean().optional(),
        custom: z.boolean().optional(),
      }),
    )
    .max(50),
});
export type WireQuestion = z.infer<typeof WireQuestion>;

export const WirePermission = z.object({
  id: ref,
  sessionID: ref,
  permission: text,
  patterns: z.array(text),
  tool: askingTool,
});
export type WirePermission = z.infer<typeof WirePermission>;

export const WireTodos = z.array(z.object({ content: text, status: text, priority: text }));

export const WireStatus = z.discriminatedUnion('type', [
  z.object({ type: z.literal('idle') }),
  z.object({ type: z.literal('busy') }),
  z.object({
    type: z.literal('retry'),
    attempt: count,
    next: count,
    message: text.catch(''),
  }),
]);
export type WireRetry = Extract<z.infer<typeof WireStatus>, { type: 'retry' }>;

export const WireSession = z.object({
  id: ref,
  parentID: ref.optional(),
  title: text.catch(''),
  directory: text.catch(''),
});
export type WireSession = z.infer<typeof WireSession>;

const event = <Type extends string, Shape extends z.ZodType>(type: Type, properties: Shape) =>
  z.object({ type: z.literal(type), properties });
const closed = z.object({ sessionID: ref, requestID: ref });

export const WireEvent = z.discriminatedUnion('type', [
  event('session.created', z.object({ info: WireSession })),
  event('session.updated', z.object({ info: WireSession })),
  event('message.updated', z.object({ info: WireMessage })),
  event('message.part.updated', z.object({ part: WirePart })),
  event('message.part.delta', z.object({ sessionID: ref, partID: ref, field: text, delta: text })),
  event('todo.updated', z.object({ sessionID: ref, todos: WireTodos })),
  event('session.status', z.object({ sessionID: ref, status: WireStatus })),
  event('session.idle', z.object({ sessionID: ref })),
  event('session.error', z.object({ sessionID: ref, error: failure })),
  event('question.asked', WireQuestion),
  event('question.replied', closed),
  event('question.rejected', closed),
  event('permission.asked', WirePermission),
  event('permission.replied', closed.extend({ reply: text })),
]);
export type WireEvent = z.infer<typeof WireEvent>;

export const WireHistory = z.array(z.object({ info: WireMessage, parts: z.array(z.unknown()) }));
