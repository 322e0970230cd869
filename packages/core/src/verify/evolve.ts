import type { DurableEvent, Prompt, VerificationRun, VerificationState } from '@ship/protocol';
import { SHIP_AUTHOR, evolveRounds } from './rounds.ts';

/** How often Ship hands a conflict or a failing check back to the agent; each time costs a turn. */
const MAX_SHIP_PROMPTS = 4;

/** Whether Ship may send the agent another prompt without a person. */
export function mayPromptAgent({ shipPrompts = 0 }: VerificationState): boolean {
  return shipPrompts < MAX_SHIP_PROMPTS;
}

const KEPT_ASKED = 5;
const KEPT_ASKED_CHARACTERS = 2_000;

export const NOT_VERIFIED_YET: VerificationState = {
  before: null,
  after: null,
  confidence: null,
  failedRounds: 0,
  asked: [],
};

/** Folds one event into the verification state; other events leave it unchanged. */
export function evolveVerification(
  given: VerificationState,
  event: DurableEvent,
  current: Prompt | null = null,
): VerificationState {
  const state = evolveRounds(given, event, current);
  switch (event.type) {
    case 'prompt.queued': {
      const { author, text } = event.data;
      if (author === SHIP_AUTHOR) return { ...state, shipPrompts: (state.shipPrompts ?? 0) + 1 };
      const asked = [...state.asked, text.slice(0, KEPT_ASKED_CHARACTERS)].slice(-KEPT_ASKED);
      return { ...state, failedRounds: 0, shipPrompts: 0, asked };
    }
    case 'verification.finished':
      return finished(state, event);
    case 'confidence.computed': {
      const { score, parts } = event.data;
      return { ...state, confidence: { score, parts }, notVerified: null };
    }
    case 'confidence.withheld':
      return { ...state, confidence: null, notVerified: event.data.reason };
    case 'verification.committed': {
      const { turnId, sha } = event.data;
      const { after } = state;
      if (after === null || after.turnId !== turnId) return state;
      return { ...state, after: { ...after, commit: sha } };
    }
    case 'new-tests.checked': {
      const { turnId: _, ...newTests } = event.data;
      return { ...state, newTests };
    }
    default:
      return state;
  }
}

function finished(
  state: VerificationState,
  { data }: DurableEvent & { type: 'verification.finished' },
): VerificationState {
  const { turnId, phase } = data;
  const run = withoutOutput(data);
  // Only the first run tested the unchanged repository, unless a later one names the newer base that it ran on.
  if (phase === 'before') {
    const isOfNewBase = run.commit !== undefined && run.commit !== state.before?.commit;
    return { ...state, before: isOfNewBase ? run : (state.before ?? run) };
  }
  // A turn that resumes after a crash is verified again: that is not another round.
  const isRepeated = state.after?.turnId === turnId && state.after.verdict === 'failed';
  const failedRounds = run.verdict === 'failed' ? state.failedRounds + (isRepeated ? 0 : 1) : 0;
  return { ...state, after: { ...run, turnId }, failedRounds };
}

function withoutOutput(data: VerificationRun): VerificationRun {
  const { command, source, verdict, exitCode, durationMs, counts, failing, link } = data;
  const { commit, outputDigest, reason } = data;
  return {
    command,
    source,
    verdict,
    exitCode,
    durationMs,
    counts,
    failing,
    link,
    ...(commit === undefined ? {} : { commit }),
    ...(outputDigest === undefined ? {} : { outputDigest }),
    ...(reason === undefined ? {} : { reason }),
  };
}
