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

const alone = (weight: Weight) => (event: DurableEvent) => [`seq:${event.seq}`, weight] as const;
const OWN_ENTRY = new Set(['todowrite', 'question']);
/** To-dos and questions have their own entries, so their tool calls are not shown. */
const tool = ({ data }: { data: { partId: string; tool: string } }) =>
  OWN_ENTRY.has(data.tool) ? undefined : ([partKey(data.partId), 'detail'] as const);
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
  'session.created': alone('always'),
  'session.named': (event) => (event.data.title === null ? undefined : alone('detail')(event)),
  'session.renamed': alone('detail'),
  'session.closed': alone('always'),
  'model.changed': alone('always'),
  'budget.changed': alone('always'),
  'turn.started': (event) => [`turn:${event.data.turnId}`, 'always'],
  'turn.stop-requested': alone('detail'),
  'turn.retry-scheduled': alone('detail'),
  'turn.finished': ({ data: { turnId, outcome } }) => [
    `end:${turnId}`,
    outcome.kind === 'completed' ? 'detail' : 'always',
  ],
  'sandbox.failed': alone('detail'),
  'sandbox.resumed': alone('detail'),
  'sandbox.lost': alone('always'),
  'stage.finished': (event) => (event.data.error === null ? undefined : alone('always')(event)),
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
  'conversation.compacted': alone('detail'),
  'provider.retrying': alone('detail'),
  'recording.limited': (event) => [`limited:${event.data.turnId}`, 'always'],
  'agent.mode-changed': alone('always'),
  // The baseline is background; the result afterwards matters.
  'verification.finished': (event) =>
    event.data.phase === 'before' ? alone('detail')(event) : evidence(event),
  'confidence.computed': evidence,
  'confidence.withheld': evidence,
  'setup.reused': alone('detail'),
  'setup.missed': alone('detail'),
  'egress.refused': ({ data: { turnId, host, serverName = host, rule } }) => [
    `refused:${turnId}:${serverName}:${rule}`,
    'always',
  ],
  'setup.proved': alone('always'),
  // A missing tool or a failed install explains later failures.
  'environment.planned': (event) =>
    alone(event.data.toolchains.some(({ status }) => status === 'missing') ? 'always' : 'detail')(
      event,
    ),
  'install.started': (event) => [partKey(event.data.partId), 'detail'],
  'install.finished': (event) => [
    partKey(event.data.partId),
    event.data.reason === null ? 'detail' : 'always',
  ],
  'tool-servers.missed': alone('always'),
  'branch.made': alone('detail'),
  'branch.renamed': alone('detail'),
  'work.restored': alone('always'),
  'commit.made': alone('detail'),
  'base.merged': alone('detail'),
  'branch.moved-outside': alone('always'),
  'branch.deleted': alone('always'),
  'files.skipped': alone('always'),
  'checkout.noted': alone('always'),
  'repository.moved': alone('always'),
  'pull-request.opened': alone('always'),
  'pull-request.state-changed': alone('always'),
  'git.conflicted': alone('always'),
  'git.conflict-resolved': alone('detail'),
};

export const placementOf: PlacementOf = (event) => {
  // `Rules` guarantees that a rule's parameter matches its key.
  const rule = rules[event.type] as
    | ((event: DurableEvent) => readonly [string, Weight] | undefined)
    | undefined;
  const placed = rule?.(event);
  return placed && { key: placed[0], weight: placed[1] };
};
