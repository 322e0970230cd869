import type { DurableEvent } from '@ship/protocol';
import type { Place, Weight } from '../items.ts';

type EventOf<Type extends DurableEvent['type']> = Extract<DurableEvent, { type: Type }>;

/** How one type of event is placed: what shares its place, and whether it stays when its turn is over. */
type Rules = {
  readonly [Type in DurableEvent['type']]?: (
    event: EventOf<Type>,
  ) => readonly [key: string, weight: Weight] | undefined;
};

/** Of a text or a tool, from its first word on. */
export const partKey = (partId: string): string => `part:${partId}`;

const alone = (weight: Weight) => (event: DurableEvent) => [`seq:${event.seq}`, weight] as const;
const OWN_ENTRY = new Set(['todowrite', 'question']);
/** To-dos and questions have entries of their own; that the agent called a tool for them is no news. */
const tool = ({ data }: { data: { partId: string; tool: string } }) =>
  OWN_ENTRY.has(data.tool) ? undefined : ([partKey(data.partId), 'detail'] as const);
const ask = (event: { data: { requestId: string } }) =>
  [`ask:${event.data.requestId}`, 'always'] as const;
const plan = (event: { data: { planId: string } }) =>
  [`plan:${event.data.planId}`, 'always'] as const;
const subagent = (event: { data: { subagentId: string } }) =>
  [`subagent:${event.data.subagentId}`, 'detail'] as const;

/** The verdict on a turn's work and the score that it leads to are one entry. */
const evidence = (event: { data: { turnId: string } }) =>
  [`evidence:${event.data.turnId}`, 'always'] as const;

/** Types that are not here are in the log only: queue, steps and what the header shows. */
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
  // How the project was before is background; how it is now is what people come back for.
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
  // A missing tool or a failed install explains what comes after it.
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

export const placeOf: Place = (event) => {
  // The key and the parameter of a rule are of the same type by construction of `Rules`.
  const rule = rules[event.type] as
    | ((event: DurableEvent) => readonly [string, Weight] | undefined)
    | undefined;
  const placed = rule?.(event);
  return placed && { key: placed[0], weight: placed[1] };
};
