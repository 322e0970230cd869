/** Fast enough to look like typing, and leaves every other frame for input. */
const intervalMs = 50;
const typingIntervalMs = 80;
/** A shell has echoed a key and the echo is rendered by then. */
const echoDelayMs = 40;
/** A pause this long means that the user stopped typing. */
const typingPauseMs = 220;

/** The clock that this file uses; tests pass a fake. */
export interface Clock {
  readonly nowMs: () => number;
  readonly after: (ms: number, then: () => void) => () => void;
  /** Calls back after the current changes were painted. */
  readonly afterPaint: (then: () => void) => () => void;
}

/**
 * Schedules renders of streamed text: often enough to read along, but never between a key press and its letter. While the user
 * types, it renders right after each letter, when the next key is furthest away.
 */
export class FrameScheduler {
  readonly #render: () => void;
  readonly #clock: Clock;
  #isRequested = false;
  #renderedAtMs = -Infinity;
  #keyAtMs = -Infinity;
  #isLetterDue = false;
  #cancel: () => void = noop;
  #cancelLetter: () => void = noop;

  constructor(render: () => void, clock: Clock = browserClock) {
    this.#render = render;
    this.#clock = clock;
  }

  /** Requests a render of new text. */
  request(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.#schedule();
  }

  /**
   * Call on each key press: its letter must be painted first. A letter that a shell echoes arrives later: a frame requested now
   * would be painted without it and delay it by a frame.
   */
  readonly onKey = (isEchoed = false): void => {
    this.#keyAtMs = this.#clock.nowMs();
    // A held key repeats faster than its echoes arrive: the stream must not wait for its release.
    if (!isEchoed || !this.#isLetterDue) this.#awaitLetter(isEchoed);
    if (this.#isRequested) this.#schedule();
  };

  #awaitLetter(isEchoed: boolean): void {
    const { after, afterPaint } = this.#clock;
    const letter = () => {
      this.#isLetterDue = false;
      if (!this.#isRequested) return;
      if (this.#sinceRenderMs >= typingIntervalMs) this.#renderNow();
      else this.#schedule();
    };
    this.#isLetterDue = true;
    this.#cancelLetter();
    this.#cancelLetter = isEchoed ? after(echoDelayMs, letter) : afterPaint(letter);
  }

  /** Another render has shown everything. */
  onRendered(): void {
    this.#renderedAtMs = this.#clock.nowMs();
    this.#isRequested = false;
    this.#cancel();
  }

  stop(): void {
    this.#cancel();
    this.#cancelLetter();
  }

  get #sinceRenderMs(): number {
    return this.#clock.nowMs() - this.#renderedAtMs;
  }

  #schedule(): void {
    this.#cancel();
    const untilDue = intervalMs - this.#sinceRenderMs;
    const untilPause = typingPauseMs - (this.#clock.nowMs() - this.#keyAtMs);
    this.#cancel = this.#clock.after(Math.max(0, untilDue, untilPause), () => {
      // A machine that is late with the letter must not get more work; the letter's callback renders instead.
      if (!this.#isLetterDue) this.#renderNow();
    });
  }

  #renderNow(): void {
    this.onRendered();
    this.#render();
  }
}

const noop = () => undefined;

const browserClock: Clock = {
  nowMs: () => performance.now(),
  after: (ms, then) => {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
  afterPaint: (then) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => (timer = setTimeout(then)));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  },
};
