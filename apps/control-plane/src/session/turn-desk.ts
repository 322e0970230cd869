import { openTurn } from '@ship/core';
import { type Turn, type TurnOutcome, createId } from '@ship/protocol';
import { log } from '../platform/log.ts';
import { foreignFailure } from '../sandbox/failure.ts';
import type { SessionStore } from './session-store.ts';

/** Works on one turn until it has an outcome. Called again for the same turn after a crash: it goes on where that was. */
export type DriveTurn = (turn: Turn, signal: AbortSignal) => Promise<TurnOutcome>;

/** Sees to it that the open turn is driven by exactly one worker, and stores how it ended. */
export class TurnDesk {
  readonly #store: SessionStore;
  readonly #drive: DriveTurn | undefined;
  readonly #onIdle: () => void;
  #work: { turn: Turn; abort: AbortController } | undefined;

  constructor(store: SessionStore, drive: DriveTurn | undefined, onIdle: () => void) {
    this.#store = store;
    this.#drive = drive;
    this.#onIdle = onIdle;
  }

  get hasAgent(): boolean {
    return this.#drive !== undefined;
  }

  get isBusy(): boolean {
    return this.#work !== undefined;
  }

  advance(step: 'start' | 'drive'): void {
    if (step === 'start') this.#store.observe({ type: 'turn.start', turnId: createId('turn') });
    const turn = this.#store.state && openTurn(this.#store.state.activity);
    if (turn === undefined || this.#drive === undefined || this.#work !== undefined) return;
    const abort = new AbortController();
    this.#work = { turn, abort };
    this.listen();
    void this.#run(this.#drive, turn, abort.signal).finally(() => {
      this.#work = undefined;
      this.#onIdle();
    });
  }

  /** After every change: a turn that was stopped or whose session was closed is interrupted at once. */
  listen(): void {
    const activity = this.#store.state?.activity;
    if (this.#work === undefined || activity === undefined) return;
    const isWanted =
      activity.status === 'working' && activity.turn.turnId === this.#work.turn.turnId;
    if (!isWanted) this.#work.abort.abort();
  }

  async #run(drive: DriveTurn, turn: Turn, signal: AbortSignal): Promise<void> {
    const { turnId } = turn;
    try {
      const outcome = await drive(turn, signal);
      this.#store.observe({ type: 'turn.finish', turnId, outcome });
    } catch (thrown) {
      const error = foreignFailure('agent', thrown);
      log('warn', 'turn.failed', { turn: turnId, code: error.code });
      this.#store.observe({ type: 'turn.fail', turnId, error, jitter: Math.random() });
    }
  }
}
