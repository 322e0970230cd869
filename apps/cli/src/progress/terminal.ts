/** The part of a terminal stream that is used here. */
export interface Screen {
  write(text: string): unknown;
  columns?: number;
}

const UP_AND_CLEAR = '\u001b[1A\u001b[2K';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

/** Permanent lines above a block that is redrawn in place. */
export class LiveBlock {
  readonly #screen: Screen;
  #shown: string[] = [];

  constructor(screen: Screen) {
    this.#screen = screen;
    screen.write(HIDE_CURSOR);
  }

  /** Adds a permanent line. */
  print(line: string): void {
    const block = this.#shown;
    this.#screen.write(`${this.#erasure()}${line}\n`);
    this.#shown = [];
    this.update(block);
  }

  update(lines: string[]): void {
    const text = lines.map((line) => `${line}\n`).join('');
    this.#screen.write(`${this.#erasure()}${text}`);
    this.#shown = lines;
  }

  /** Erases the block and restores the cursor. */
  close(): void {
    this.#screen.write(`${this.#erasure()}${SHOW_CURSOR}`);
    this.#shown = [];
  }

  #erasure(): string {
    return UP_AND_CLEAR.repeat(this.#shown.length);
  }
}
