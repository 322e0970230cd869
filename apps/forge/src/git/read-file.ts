import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const defaultMaxBytes = 64 * 1024 * 1024;

/**
 * The text of a regular file, or undefined when there is none. A user's folder may have a FIFO or a device under any name:
 * a plain read of it would block the whole process.
 */
export function readRegularFile(path: string, maxBytes = defaultMaxBytes): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const info = fstatSync(file);
    return info.isFile() && info.size <= maxBytes ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}
