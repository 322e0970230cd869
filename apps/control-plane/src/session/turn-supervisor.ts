import { openTurn } from '@ship/core';
import { type ShipError, type Turn, createId, shipError } from '@ship/protocol';
import { log } from '../platform/log.ts';
import { foreignFailure } from '../sandbox/failure.ts';
import type { SessionStore } from './session-store.ts';
import type { TurnEnd } from './turn/ports.ts';

export interface TurnWorker {
  /**
   * Works on one turn until it has ended. Resumes when called again for the same turn after a crash. The signal's reason is who
   * pressed Stop.
   */
  drive(turn: Turn, stop: AbortSignal): Promise<TurnEnd>;
  /** A turn will start as soon as there is a new sandbox for it: starts what it needs meanwhile. */
  prefetch(): void;
  /** Verifies the branch as it is now, without a turn. */
  verifyAgain(stop: AbortSignal): Promise<void>;
}

/** Ensures that exactly one worker drives the open turn, and stores how the turn ended. */
export class TurnSupervisor {
  readonly #store: SessionStore;
  readonly #worker: TurnWorker | undefined;
  readonly #onIdle: () => void;
  readonly #isSandboxRunning: () => Promise<boolean>;
  #work: { turn: Turn; abort: AbortController } | undefined;

  /** `isSandboxRunning` asks the sandbox service whether the session's sandbox runs. */
  constructor(
    store: SessionStore,
    worker: TurnWorker | undefined,
    { onIdle, isSandboxRunning }: { onIdle: () => void; isSandboxRunning: () => Promise<boolean> },
  ) {
    this.#store = store;
    this.#worker = worker;
    this.#onIdle = onIdle;
    this.#isSandboxRunning = isSandboxRunning;
  }

  get hasAgent(): boolean {
    return this.#worker !== undefined;
  }

  get isBusy(): boolean {
    return this.#work !== undefined;
  }

  prefetch(): void {
    this.#worker?.prefetch();
  }

  async verifyAgain(stop: AbortSignal): Promise<void> {
    await this.#worker?.verifyAgain(stop);
  }

  advance(step: 'start' | 'drive'): void {
    if (step === 'start') this.#store.observe({ type: 'turn.start', turnId: createId('turn') });
    const turn = this.#store.state && openTurn(this.#store.state.activity);
    if (turn === undefined || this.#worker === undefined || this.#work !== undefined) return;
    const abort = new AbortController();
    this.#work = { turn, abort };
    this.onStateChange();
    void this.#run(this.#worker, turn, abort.signal).finally(() => {
      this.#work = undefined;
      this.#onIdle();
    });
  }

  /** Called after every change: interrupts a turn that was stopped or whose session was closed. */
  onStateChange(): void {
    const activity = this.#store.state?.activity;
    if (this.#work === undefined || activity === undefined) return;
    const isWanted =
      activity.status === 'working' && activity.turn.turnId === this.#work.turn.turnId;
    if (!isWanted) this.#work.abort.abort('by' in activity ? activity.by : 'Ship');
  }

  /** The worker also calls this itself when the outcome should show before the rest of its work is done. */
  end({ turnId }: Turn, end: TurnEnd): void {
    if (end.kind === 'finish') {
      this.#store.observe({ type: 'turn.finish', turnId, outcome: end.outcome });
      return;
    }
    log('warn', 'turn.failed', { turn: turnId, code: end.error.code });
    // The sandbox may be the cause of any failure: it is checked before the next attempt.
    this.#store.metadata.write('last-checked-at', 0);
    this.#store.observe({
      type: 'turn.fail',
      turnId,
      error: end.error,
      jitter: Math.random(),
    });
  }

  async #run(worker: TurnWorker, turn: Turn, stop: AbortSignal): Promise<void> {
    try {
      const end = await worker.drive(turn, stop);
      this.end(turn, end.kind === 'fail' ? await this.#failed(end.error) : end);
    } catch (thrown) {
      this.end(turn, await this.#failed(foreignFailure('agent', thrown)));
    }
  }

  /**
   * A lost sandbox is replaced automatically, with the work so far. Only the sandbox service is trusted on that: a file, a
   * branch or a program can be missing in a live sandbox, and another attempt there would fail the same way.
   */
  async #failed(error: ShipError): Promise<TurnEnd> {
    if (error.code !== 'gone' || (await this.#isSandboxRunning())) return { kind: 'fail', error };
    return { kind: 'fail', error: LOST };
  }
}

const LOST = shipError(
  'unavailable',
  'The sandbox was lost while the agent worked.',
  'No action needed: a new sandbox gets the work so far, and the agent continues.',
);
