import { isDeepStrictEqual } from 'node:util';
import { evolveAll } from '@ship/core';
import type { DurableEnvelope, SessionState } from '@ship/protocol';
import type { Sent } from './writer.ts';

export interface Verdict {
  /** Acknowledged, but not in the log at the seq of the receipt. */
  lost: number;
  /** In the log more than once. */
  duplicated: number;
  /** Gaps, repetitions and steps back that a client saw. */
  disorders: number;
  /** Clients whose events differ from the log. */
  differing: number;
  /** States of the object or a client that are not the fold of the log. */
  wrongStates: number;
}

export interface Seen {
  faults: readonly string[];
  events: readonly DurableEnvelope[];
  state: SessionState | undefined;
}

/** Compares the log of one session with the commands of its writer, the events of its watchers and the object's state. */
export function judge(
  log: readonly DurableEnvelope[],
  sent: readonly Sent[],
  watched: readonly Seen[],
  state: SessionState,
): Verdict {
  const places = new Map<string, number[]>();
  for (const { seq, data } of log) {
    const mark = markOf(data);
    if (mark !== undefined) places.set(mark, [...(places.get(mark) ?? []), seq]);
  }
  const folded = evolveAll(undefined, log);
  const gaps = log.filter(({ seq }, index) => seq !== index + 1).length;
  return {
    lost: sent.filter(({ mark, seq }) => seq !== undefined && !places.get(mark)?.includes(seq))
      .length,
    duplicated: sent.filter(({ mark }) => (places.get(mark)?.length ?? 0) > 1).length,
    disorders: gaps + watched.reduce((sum, { faults }) => sum + faults.length, 0),
    differing: watched.filter(({ events }) => !isDeepStrictEqual(events, log)).length,
    wrongStates: [state, ...watched.map((each) => each.state)].filter(
      (each) => !isDeepStrictEqual(each, folded),
    ).length,
  };
}

function markOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const mark: unknown = Reflect.get(data, 'text') ?? Reflect.get(data, 'title');
  return typeof mark === 'string' ? mark : undefined;
}

export function add(one: Verdict, other: Verdict): Verdict {
  return {
    lost: one.lost + other.lost,
    duplicated: one.duplicated + other.duplicated,
    disorders: one.disorders + other.disorders,
    differing: one.differing + other.differing,
    wrongStates: one.wrongStates + other.wrongStates,
  };
}

export const NO_FAULTS: Verdict = {
  lost: 0,
  duplicated: 0,
  disorders: 0,
  differing: 0,
  wrongStates: 0,
};
