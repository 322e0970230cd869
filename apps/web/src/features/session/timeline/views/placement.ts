import type { DurableEvent } from '@ship/protocol';
import type { PlacementOf, Weight } from '../items.ts';

type EventOf<Type extends DurableEvent['type']> = Extract<DurableEvent, { type: Type }>;

/** Per event type: the entry's key and its weight. */
type Rules = {
  readonly [Type in DurableEvent['type']]?: (
    event: EventOf<Type>,
  ) => readonly [key: string, weight: Weight] | undefined;
};

/** The entry of a text or tool part, from its first delta on. */
export const partKey = (partId: string): string => `part:${partId}`;

const separate = (weight: Weight) => (event: DurableEvent) => [`seq:${event.seq}`, weight] as const;
const HIDDEN_TOOLS = new Set(['todowrite', 'question']);
/** To-dos and questions have their own entries, so their tool calls are not shown. */
const tool = ({ data }: { data: { partId: string; tool: string } }) =>
  HIDDEN_TOOLS.has(data.tool) ? undefined : ([partKey(data.partId), 'detail'] as const);
const ask = (event: { data: { requestId: string } }) =>
  [`ask:${event.data.requestId}`, 'always'] as const;
const plan = (event: { data: { planId: string } }) =>
  [`plan:${event.data.planId}`, 'always'] as const;
const subagent = (event: { data: { subagentId: string } }) =>
  [`subagent:${event.data.subagentId}`, 'detail'] as const;

/** A turn's test results and score share one entry. */
const evidence = (event: { data: { turnId: string } }) =>
  [`evidence:${event.data.turnId}`, 'always'] as const;

/** Event types without a rule appear in the raw log only. */
const rules: Rules = {
  'session.created': separate('always'),
  'session.named': (event) => (event.data.title === null ? undefined : separate('detail')(event)),
  'session.renamed': separate('detail'),
  'session.closed': separate('always'),
  'model.changed': separate('always'),
  'budget.changed': separate('always'),
  'turn.started': (event) => [`turn:${event.data.turnId}`, 'always'],
  'turn.stop-requested': separate('detail'),
  'turn.retry-scheduled': separate('detail'),
  'turn.finished': ({ data: { turnId, outcome } }) => [
    `end:${turnId}`,
    outcome.kind === 'completed' ? 'detail' : 'always',
  ],
  'sandbox.failed': separate('detail'),
  'sandbox.resumed': separate('detail'),
  'sandbox.lost': separate('always'),
  'stage.finished': (event) => (event.data.error === null ? undefined : separate('always')(event)),
  'text.finished': (event) => [
    partKey(event.data.partId),
    event.data.kind === 'text' && event.data.subagentId === null ? 'answer' : 'detail',
  ],
  'tool.started': tool,
  'tool.finished': tool,
  'todos.changed': (event) => [`todos:${event.data.turnId}`, 'detail'],
  'question.asked': ask,
  'question.answered': ask,
  'permission.asked': ask,
  'permission.answered': ask,
  'ask.closed': ask,
  'plan.proposed': plan,
  'plan.decided': plan,
  'subagent.started': subagent,
  'subagent.finished': subagent,
  'conversation.compacted': separate('detail'),
  'provider.retrying': separate('detail'),
  'recording.limited': (event) => [`limited:${event.data.turnId}`, 'always'],
  'agent.mode-changed': separate('always'),
  // The baseline is background; the result afterwards matters.
  'verification.finished': (event) =>
    event.data.phase === 'before' ? separate('detail')(event) : evidence(event),
  'confidence.computed': evidence,
  'confidence.withheld': evidence,
  'setup.reused': separate('detail'),
  'setup.missed': separate('detail'),
  'egress.refused': ({ data: { turnId, host, serverName = host, rule } }) => [
    `refused:${turnId}:${serverName}:${rule}`,
    'always',
  ],
  'setup.proved': separate('always'),
  // A missing tool or a failed install explains later failures.
  'environment.planned': (event) =>
    separate(
      event.data.toolchains.some(({ status }) => status === 'missing') ? 'always' : 'detail',
    )(event),
  'install.started': (event) => [partKey(event.data.partId), 'detail'],
  'install.finished': (event) => [
    partKey(event.data.partId),
    event.data.reason === null ? 'detail' : 'always',
  ],
  'tool-servers.missed': separate('always'),
  'branch.made': separate('detail'),
  'branch.renamed': separate('detail'),
  'work.restored': separate('always'),
  'commit.made': separate('detail'),
  'base.merged': separate('detail'),
  'branch.moved-outside': separate('always'),
  'branch.deleted': separate('always'),
  'files.skipped': separate('always'),
  'checkout.noted': separate('always'),
  'repository.moved': separate('always'),
  'pull-request.opened': separate('always'),
  'pull-request.state-changed': separate('always'),
  'git.conflicted': separate('always'),
  'git.conflict-resolved': separate('detail'),
};

export const placementOf: PlacementOf = (event) => {
  // `Rules` guarantees that a rule's parameter matches its key.
  const rule = rules[event.type] as
    | ((event: DurableEvent) => readonly [string, Weight] | undefined)
    | undefined;
  const placed = rule?.(event);
  return placed && { key: placed[0], weight: placed[1] };
};
