import { openTurn } from '@ship/core';
import { type ShipError, type Turn, createId, shipError } from '@ship/protocol';
import { log } from '../platform/log.ts';
import { foreignFailure } from '../sandbox/failure.ts';
import type { SessionStore } from './session-store.ts';
import type { TurnEnd } from './turn/ports.ts';

export interface TurnWorker {
  /**
   * Works on one turn until it has ended. Called again for the same turn after a crash: it goes on where that was. The
   * signal's reason is who pressed Stop.
   */
  drive(turn: Turn, stop: AbortSignal): Promise<TurnEnd>;
  /** A turn is about to come, as soon as there is a new sandbox for it. */
  foresee(): void;
}

/** Sees to it that the open turn is driven by exactly one worker, and stores how it ended. */
export class TurnDesk {
  readonly #store: SessionStore;
  readonly #worker: TurnWorker | undefined;
  readonly #onIdle: () => void;
  #work: { turn: Turn; abort: AbortController } | undefined;

  constructor(store: SessionStore, worker: TurnWorker | undefined, onIdle: () => void) {
    this.#store = store;
    this.#worker = worker;
    this.#onIdle = onIdle;
  }

  get hasAgent(): boolean {
    return this.#worker !== undefined;
  }

  get isBusy(): boolean {
    return this.#work !== undefined;
  }

  foresee(): void {
    this.#worker?.foresee();
  }

  advance(step: 'start' | 'drive'): void {
    if (step === 'start') this.#store.observe({ type: 'turn.start', turnId: createId('turn') });
    const turn = this.#store.state && openTurn(this.#store.state.activity);
    if (turn === undefined || this.#worker === undefined || this.#work !== undefined) return;
    const abort = new AbortController();
    this.#work = { turn, abort };
    this.listen();
    void this.#run(this.#worker, turn, abort.signal).finally(() => {
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
    if (!isWanted) this.#work.abort.abort('by' in activity ? activity.by : 'Ship');
  }

  /** Also called by the worker itself when people should know before the rest of its work is done. */
  end({ turnId }: Turn, end: TurnEnd): void {
    if (end.kind === 'finish') {
      this.#store.observe({ type: 'turn.finish', turnId, outcome: end.outcome });
      return;
    }
    log('warn', 'turn.failed', { turn: turnId, code: end.error.code });
    // Whatever went wrong, the sandbox may be the reason: it is looked at before the next attempt.
    this.#store.vitals.write('last-checked-at', 0);
    const error = retryableIfLost(end.error);
    this.#store.observe({ type: 'turn.fail', turnId, error, jitter: Math.random() });
  }

  async #run(worker: TurnWorker, turn: Turn, stop: AbortSignal): Promise<void> {
    try {
      this.end(turn, await worker.drive(turn, stop));
    } catch (thrown) {
      this.end(turn, { kind: 'fail', error: foreignFailure('agent', thrown) });
    }
  }
}

/** A sandbox that is gone is replaced with the work so far: that needs no person. */
function retryableIfLost(error: ShipError): ShipError {
  if (error.code !== 'gone') return error;
  return shipError(
    'unavailable',
    'The sandbox was lost while the agent worked.',
    'Nothing needs to be done: a new one gets the work so far, and the agent goes on.',
  );
}
