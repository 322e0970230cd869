/** Saves after each step: one save at a time, and one more when steps finished during it. */
export class Checkpoints {
  readonly #save: () => Promise<void>;
  #running: Promise<void> | undefined;
  #isWanted = false;

  constructor(save: () => Promise<void>) {
    this.#save = save;
  }

  /** Does not wait: the agent continues to work. */
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
      // The save reports its own failures; they must not fail the turn.
      await this.#save().catch(() => undefined);
    }
    this.#running = undefined;
  }
}
