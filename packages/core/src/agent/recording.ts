import type {
  AgentState,
  Recorded,
  RecordingLimited,
  SessionEvent,
  SessionEventType,
} from '@ship/protocol';

export const NOTHING_RECORDED: Recorded = { events: 0, bytes: 0, artifacts: 0, artifactBytes: 0 };

/** Maximum size of one artifact: a Durable Object's memory is small. */
export const MAX_ARTIFACT_BYTES = 10_000_000;
/** Maximum size of one text of the agent. */
export const MAX_TEXT_ARTIFACT_BYTES = 1_000_000;

/**
 * Limits on what is recorded of an agent. Anything may run in its sandbox in the agent's place, and all sessions share one
 * process and one disk. A long ordinary session has a few thousand events and some 50 MB.
 */
export interface RecordingLimits {
  /** Beyond these, tool calls, reasoning and sub-agents are left out; answers and questions are still recorded. */
  turn: Recorded;
  session: Recorded;
  /** How much the events that are never left out may exceed the limit before the turn is stopped. */
  reserve: Pick<Recorded, 'events' | 'bytes'>;
  /** How much may be left out of one turn before it is stopped. */
  cut: Pick<Recorded, 'events' | 'bytes'>;
}

const MB = 1_000_000;

export const DEFAULT_RECORDING_LIMITS: RecordingLimits = {
  turn: { events: 5_000, bytes: 20 * MB, artifacts: 200, artifactBytes: 100 * MB },
  session: { events: 50_000, bytes: 200 * MB, artifacts: 2_000, artifactBytes: 500 * MB },
  reserve: { events: 1_000, bytes: 4 * MB },
  cut: { events: 10_000, bytes: 50 * MB },
};

export type RecordingLimit = Pick<RecordingLimited, 'scope' | 'limit'>;

const COUNTED: ReadonlySet<SessionEventType> = new Set<SessionEventType>([
  'text.finished',
  'tool.started',
  'tool.finished',
  'todos.changed',
  'step.finished',
  'question.asked',
  'permission.asked',
  'plan.proposed',
  'subagent.started',
  'subagent.finished',
  'conversation.compacted',
  'provider.retrying',
]);

/** How much an event of the agent counts; null for all others. */
export function recordedWeight(event: SessionEvent): Recorded | null {
  if (!COUNTED.has(event.type)) return null;
  const artifactBytes = artifactOf(event);
  const bytes = textIn(event.data);
  return { events: 1, bytes, artifacts: artifactBytes === 0 ? 0 : 1, artifactBytes };
}

function artifactOf(event: SessionEvent): number {
  if (event.type === 'tool.finished' && event.data.link !== null)
    return Math.min(Math.max(1, event.data.outputBytes), MAX_ARTIFACT_BYTES);
  // The event does not contain the length, so count the maximum.
  return event.type === 'text.finished' && event.data.link !== null ? MAX_TEXT_ARTIFACT_BYTES : 0;
}

/** A cheap estimate: encoding every event again only to count its bytes would cost time. */
function textIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let length = 0;
  for (const each of Object.values(value)) length += textIn(each);
  return length;
}

export function addRecorded(a: Recorded, b: Recorded): Recorded {
  return {
    events: a.events + b.events,
    bytes: a.bytes + b.bytes,
    artifacts: a.artifacts + b.artifacts,
    artifactBytes: a.artifactBytes + b.artifactBytes,
  };
}

/** So far, of the newest turn and of the whole session. */
export interface RecordedSoFar {
  turn: Recorded;
  session: Recorded;
}

export function recordedSoFar({ turn, recorded }: AgentState): RecordedSoFar {
  return { turn: turn?.recorded ?? NOTHING_RECORDED, session: recorded };
}

/** The limit on events that is reached, if any. The session's limit comes first: another turn does not help against it. */
export function eventLimit(soFar: RecordedSoFar, limits: RecordingLimits): RecordingLimit | null {
  return reached(soFar, limits, ['events', 'bytes']);
}

export function artifactLimit(
  soFar: RecordedSoFar,
  limits: RecordingLimits,
): RecordingLimit | null {
  return reached(soFar, limits, ['artifacts', 'artifactBytes']);
}

function reached(
  soFar: RecordedSoFar,
  limits: RecordingLimits,
  of: readonly (keyof Recorded)[],
): RecordingLimit | null {
  for (const scope of ['session', 'turn'] as const)
    for (const limit of of)
      if (soFar[scope][limit] >= limits[scope][limit]) return { scope, limit };
  return null;
}

/** Whether the agent produced so much, recorded or left out, that the turn must be stopped. */
export function isFlood(soFar: RecordedSoFar, cut: Recorded, limits: RecordingLimits): boolean {
  const { reserve } = limits;
  return (['events', 'bytes'] as const).some(
    (of) =>
      cut[of] > limits.cut[of] ||
      soFar.turn[of] > limits.turn[of] + reserve[of] ||
      soFar.session[of] > limits.session[of] + reserve[of],
  );
}

/** Whether an event may be left out. People need answers and questions; the limits on steps and cost need the steps. */
export function isExpendable({ type, data }: SessionEvent): boolean {
  switch (type) {
    case 'text.finished':
      return data.kind === 'reasoning' || data.subagentId !== null;
    case 'tool.started':
    case 'tool.finished':
    case 'todos.changed':
    case 'subagent.started':
    case 'subagent.finished':
    case 'conversation.compacted':
    case 'provider.retrying':
      return true;
    default:
      return false;
  }
}

const LIMIT_NAMES: Record<RecordingLimit['limit'], string> = {
  events: 'events',
  bytes: 'output',
  artifacts: 'stored outputs',
  artifactBytes: 'size of stored outputs',
};

/** One line for people. */
export function describeRecordingLimit({ scope, limit, isFinal, cut }: RecordingLimited): string {
  const opening = `The recording limit of this ${scope} (${LIMIT_NAMES[limit]}) was reached`;
  if (!isFinal) return `${opening}: further tool calls and long outputs are not recorded.`;
  const left = [
    ...(cut.events > 0 ? [`${grouped(cut.events)} events`] : []),
    ...(cut.bytes > 0 ? [`${megabytes(cut.bytes)} of output`] : []),
    ...(cut.artifacts > 0
      ? [`${grouped(cut.artifacts)} stored outputs (${megabytes(cut.artifactBytes)})`]
      : []),
  ];
  return `${opening}: ${left.join(', ')} left out.`;
}

/** The error of a turn that was stopped because it produced too much. */
export function describeFlood(limit: RecordingLimit | null): { message: string; remedy: string } {
  const isSession = limit?.scope === 'session';
  return {
    message: `The agent produced more output than one ${isSession ? 'session' : 'turn'} may have.`,
    remedy: isSession
      ? 'Start a new session for further work; this one stays readable.'
      : 'Check what was done so far, then tell the agent how to continue.',
  };
}

const grouped = (value: number) => value.toLocaleString('en-US');
const megabytes = (bytes: number) => `${Math.max(0.1, bytes / MB).toFixed(1)} MB`;
