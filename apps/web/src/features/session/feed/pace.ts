/** Fast enough to look like typing, and leaves every other frame for input. */
const everyMs = 50;
const whileTypingMs = 80;
/** A shell has echoed a key and the echo is rendered by then. */
const echoMs = 40;
/** A pause this long means that the user stopped typing. */
const pauseMs = 220;

/** The clock that this file uses; tests pass a fake. */
export interface Hands {
  readonly nowMs: () => number;
  readonly after: (ms: number, then: () => void) => () => void;
  /** Calls back after the current changes were painted. */
  readonly drawn: (then: () => void) => () => void;
}

/**
 * Schedules renders of streamed text: often enough to read along, but never between a key press and its letter. While the user
 * types, it renders right after each letter, when the next key is furthest away.
 */
export class StreamPace {
  readonly #draw: () => void;
  readonly #hands: Hands;
  #isAsked = false;
  #drawnAtMs = -Infinity;
  #keyAtMs = -Infinity;
  #isLetterDue = false;
  #cancel: () => void = nothing;
  #cancelLetter: () => void = nothing;

  constructor(draw: () => void, hands: Hands = browserHands) {
    this.#draw = draw;
    this.#hands = hands;
  }

  /** Requests a render of new text. */
  ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#plan();
  }

  /**
   * Call on each key press: its letter must be painted first. A letter that a shell echoes arrives later: a frame requested now
   * would be painted without it and delay it by a frame.
   */
  readonly key = (isEchoed = false): void => {
    this.#keyAtMs = this.#hands.nowMs();
    // A held key repeats faster than its echoes arrive: the stream must not wait for its release.
    if (!isEchoed || !this.#isLetterDue) this.#awaitLetter(isEchoed);
    if (this.#isAsked) this.#plan();
  };

  #awaitLetter(isEchoed: boolean): void {
    const { after, drawn } = this.#hands;
    const letter = () => {
      this.#isLetterDue = false;
      if (!this.#isAsked) return;
      if (this.#sinceDrawnMs >= whileTypingMs) this.#go();
      else this.#plan();
    };
    this.#isLetterDue = true;
    this.#cancelLetter();
    this.#cancelLetter = isEchoed ? after(echoMs, letter) : drawn(letter);
  }

  /** Another render has shown everything. */
  done(): void {
    this.#drawnAtMs = this.#hands.nowMs();
    this.#isAsked = false;
    this.#cancel();
  }

  stop(): void {
    this.#cancel();
    this.#cancelLetter();
  }

  get #sinceDrawnMs(): number {
    return this.#hands.nowMs() - this.#drawnAtMs;
  }

  #plan(): void {
    this.#cancel();
    const untilDue = everyMs - this.#sinceDrawnMs;
    const untilPause = pauseMs - (this.#hands.nowMs() - this.#keyAtMs);
    this.#cancel = this.#hands.after(Math.max(0, untilDue, untilPause), () => {
      // A machine that is late with the letter must not get more work; the letter's callback renders instead.
      if (!this.#isLetterDue) this.#go();
    });
  }

  #go(): void {
    this.done();
    this.#draw();
  }
}

const nothing = () => undefined;

const browserHands: Hands = {
  nowMs: () => performance.now(),
  after: (ms, then) => {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
  drawn: (then) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => (timer = setTimeout(then)));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  },
};
