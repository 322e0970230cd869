import type {
  AgentState,
  Recorded,
  RecordingLimited,
  SessionEvent,
  SessionEventType,
} from '@ship/protocol';

export const NOTHING_RECORDED: Recorded = { events: 0, bytes: 0, artifacts: 0, artifactBytes: 0 };

/** Of one artifact. No agent writes so much text that is worth keeping, and an object's memory is small. */
export const MAX_ARTIFACT_BYTES = 10_000_000;
/** The same for words of the agent: no model writes so much in one piece. */
export const MAX_TEXT_ARTIFACT_BYTES = 1_000_000;

/**
 * How much of an agent's work is recorded. Anything may run in its sandbox in its place, and all sessions share one process
 * and one disk. A long honest session has a few thousand events and some 50 MB.
 */
export interface RecordingLimits {
  /** Beyond these, tool calls, reasoning and sub-agents are left out; answers and questions are still recorded. */
  turn: Recorded;
  session: Recorded;
  /** How much more of what is never left out may be recorded before the turn is stopped. */
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

/** What an event of the agent counts for; null for all others. */
export function recordedBy(event: SessionEvent): Recorded | null {
  if (!COUNTED.has(event.type)) return null;
  const artifactBytes = artifactOf(event);
  const bytes = textIn(event.data);
  return { events: 1, bytes, artifacts: artifactBytes === 0 ? 0 : 1, artifactBytes };
}

function artifactOf(event: SessionEvent): number {
  if (event.type === 'tool.finished' && event.data.link !== null)
    return Math.min(Math.max(1, event.data.outputBytes), MAX_ARTIFACT_BYTES);
  // The event does not say how long it was: the most that it can be.
  return event.type === 'text.finished' && event.data.link !== null ? MAX_TEXT_ARTIFACT_BYTES : 0;
}

/** An estimate that costs nothing: encoding every event once more only to count its bytes would. */
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

/** The limit on events that is reached, if any. The session's first: no other turn helps against that one. */
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

/** Whether so much came, recorded or left out, that the turn has to be stopped. */
export function isFlood(soFar: RecordedSoFar, cut: Recorded, limits: RecordingLimits): boolean {
  const { reserve } = limits;
  return (['events', 'bytes'] as const).some(
    (of) =>
      cut[of] > limits.cut[of] ||
      soFar.turn[of] > limits.turn[of] + reserve[of] ||
      soFar.session[of] > limits.session[of] + reserve[of],
  );
}

/** Whether an event may be left out. People need the agent's answers and questions, and limits on steps and cost need its steps. */
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

/** For people, as one line. */
export function describeRecordingLimit({ scope, limit, isFinal, cut }: RecordingLimited): string {
  const what = `The recording limit of this ${scope} (${LIMIT_NAMES[limit]}) was reached`;
  if (!isFinal) return `${what}: further tool calls and long outputs are not recorded.`;
  const left = [
    ...(cut.events > 0 ? [`${grouped(cut.events)} events`] : []),
    ...(cut.bytes > 0 ? [`${megabytes(cut.bytes)} of output`] : []),
    ...(cut.artifacts > 0
      ? [`${grouped(cut.artifacts)} stored outputs (${megabytes(cut.artifactBytes)})`]
      : []),
  ];
  return `${what}: ${left.join(', ')} left out.`;
}

/** Why a turn was stopped that produced too much, and what to do. */
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
