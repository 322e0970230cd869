/** Quick enough to look like typing; the other half of the frames is for people. */
const everyMs = 50;
const whileTypingMs = 80;
/** By then a shell has echoed a key, and it is drawn. */
const echoMs = 40;
/** A pause as long as this is no pause between two keys. */
const pauseMs = 220;

/** Time, as this file needs it; tests bring their own. */
export interface Hands {
  readonly nowMs: () => number;
  readonly after: (ms: number, then: () => void) => () => void;
  /** When what was changed until now has been drawn. */
  readonly drawn: (then: () => void) => () => void;
}

/**
 * Says when to draw what streams: often enough to be read as it comes, never between a key and its letter. Somebody who
 * types gets the stream right after each letter, when the next key is furthest away.
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

  /** There is something new to draw. */
  ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#plan();
  }

  /**
   * A key was pressed: its letter comes first. One that a shell echoes comes later: a frame that is asked for now would be
   * drawn without it, and make it wait for the one after.
   */
  readonly key = (isEchoed = false): void => {
    this.#keyAtMs = this.#hands.nowMs();
    // A key that is held down repeats sooner than its echoes come: what streams must not wait for its release.
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

  /** All of it was drawn with something else. */
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
      // A machine that is late with the letter is not given more to do; the letter goes on with it.
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
