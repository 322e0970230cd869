import type { DurableEvent, VerificationRun, VerificationState } from '@ship/protocol';

/** Who asks when it is not a person. */
export const SHIP_AUTHOR = 'Ship';

/** A conflict or a failing check is handed back to the agent so often; each time is a turn that somebody pays for. */
const MAX_SHIP_PROMPTS = 4;

/** Whether Ship may ask the agent for something more, without a person. */
export function mayShipAsk({ shipPrompts = 0 }: VerificationState): boolean {
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

/** Folds one event into what is known of whether the work is right; events of other kinds leave it as it is. */
export function evolveVerification(
  state: VerificationState,
  event: DurableEvent,
): VerificationState {
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
      return { ...state, confidence: { score, parts } };
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
  // Only the first one is about the repository as it was: a later one has seen the agent's work.
  if (phase === 'before') return { ...state, before: state.before ?? run };
  // A turn that is driven again after a crash is verified again: that is no further round.
  const isRepeated = state.after?.turnId === turnId && state.after.verdict === 'failed';
  const failedRounds = run.verdict === 'failed' ? state.failedRounds + (isRepeated ? 0 : 1) : 0;
  return { ...state, after: { ...run, turnId }, failedRounds };
}

function withoutOutput(data: VerificationRun): VerificationRun {
  const { command, source, verdict, exitCode, durationMs, counts, failing, link } = data;
  return {
    command,
    source,
    verdict,
    exitCode,
    durationMs,
    counts,
    failing,
    link,
  };
}
