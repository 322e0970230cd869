import type { DurableEvent, Prompt, Round, RoundKind, VerificationState } from '@ship/protocol';
import { closingLines } from './closing-lines.ts';
import { withoutEstimate } from './own-estimate.ts';

/** The author of Ship's own prompts. */
export const SHIP_AUTHOR = 'Ship';

/** The first words of Ship's own prompts, by which the kind of a round is recognized. */
export const REPAIR_OPENING = 'Fix what `';
export const CONFLICT_OPENING = 'Somebody else changed the same lines.';

const KEPT_ROUNDS = 16;
const KEPT_ASKED = 800;
const KEPT_SAID = 1_200;
const KEPT_WHOLE = 1_000;

function kindOfRound({ author, text }: Pick<Prompt, 'author' | 'text'>): RoundKind {
  if (author !== SHIP_AUTHOR) return 'person';
  return text.startsWith(CONFLICT_OPENING) ? 'conflict' : 'repair';
}

/** Folds one event into the session's rounds. `current` is the prompt of the open turn. */
export function evolveRounds(
  state: VerificationState,
  event: DurableEvent,
  current: Prompt | null,
): VerificationState {
  switch (event.type) {
    case 'turn.started':
      return current === null ? state : begun(state, event, current);
    case 'text.finished': {
      const { kind, subagentId, text, turnId } = event.data;
      if (kind !== 'text' || subagentId !== null || text.trim() === '') return state;
      const { change, whole, rest } = closingLines(text);
      return ofTurn(state, turnId, {
        said: withoutEstimate(rest).trim().slice(0, KEPT_SAID),
        change,
        whole: whole?.slice(0, KEPT_WHOLE) ?? null,
      });
    }
    case 'tool.finished': {
      if (event.data.status !== 'failed') return state;
      const { turnId } = event.data;
      const failures = state.rounds?.at(-1)?.toolFailures ?? 0;
      return ofTurn(state, turnId, { toolFailures: failures + 1 });
    }
    default:
      return state;
  }
}

function begun(
  state: VerificationState,
  { data }: DurableEvent & { type: 'turn.started' },
  current: Prompt,
): VerificationState {
  const { turnId, promptId } = data;
  const rounds = state.rounds ?? [];
  // Another attempt at the same prompt is not a new round.
  const last = rounds.at(-1);
  if (last?.promptId === promptId)
    return { ...state, rounds: [...rounds.slice(0, -1), { ...last, turnId }] };
  if (current.promptId !== promptId) return state;
  const round: Round = {
    turnId,
    promptId,
    kind: kindOfRound(current),
    asked: current.text.slice(0, KEPT_ASKED),
    said: '',
    change: null,
    whole: null,
    toolFailures: 0,
  };
  const all = [...rounds, round];
  if (all.length <= KEPT_ROUNDS) return { ...state, rounds: all };
  // Keep the first round: it is the session's task.
  return {
    ...state,
    rounds: [...all.slice(0, 1), ...all.slice(2)],
    roundsLeftOut: (state.roundsLeftOut ?? 0) + 1,
  };
}

function ofTurn(
  state: VerificationState,
  turnId: Round['turnId'],
  change: Partial<Round>,
): VerificationState {
  const { rounds = [] } = state;
  const last = rounds.at(-1);
  if (last?.turnId !== turnId) return state;
  return { ...state, rounds: [...rounds.slice(0, -1), { ...last, ...change }] };
}
