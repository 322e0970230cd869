import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MAX_BYTES = 10 * 1024 * 1024;

/** A component's log, at most two files of 10 MB: a component that logs in a loop must not fill the disk. */
export class LogFile {
  readonly #path: string;
  #bytes: number;

  constructor(folder: string, name: string) {
    this.#path = join(folder, name);
    this.#bytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  write(line: string): void {
    const text = `${new Date().toISOString()} ${line}\n`;
    if (this.#bytes + text.length > MAX_BYTES) {
      renameSync(this.#path, `${this.#path}.1`);
      this.#bytes = 0;
    }
    appendFileSync(this.#path, text);
    this.#bytes += text.length;
  }
}
