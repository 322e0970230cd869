/** Runs the save after each step: one at a time, and once more when steps came in between. */
export class Checkpoints {
  readonly #save: () => Promise<void>;
  #running: Promise<void> | undefined;
  #isWanted = false;

  constructor(save: () => Promise<void>) {
    this.#save = save;
  }

  /** Does not wait: the agent works on meanwhile. */
  request(): void {
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  async finished(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      // Whoever saves reports its own failures; the turn is not to fail with them.
      await this.#save().catch(() => undefined);
    }
    this.#running = undefined;
  }
}
