import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import programs from '../../../machine-programs.json' with { type: 'json' };
import type { Finding } from '../examine.ts';

/** The programs that Ship needs from the machine; what only the tests need is a warning. */
export function checkPrograms(path: string): Finding[] {
  return programs.map(({ command, package: name, why, profiles }): Finding => {
    const found = findOnPath(command, path);
    if (found !== undefined) return { check: command, verdict: 'pass', detail: found };
    return {
      check: command,
      verdict: profiles.includes('start') ? 'fail' : 'warn',
      detail: `not found (${why})`,
      remedy: `sudo apt-get install -y ${name}`,
    };
  });
}

function findOnPath(command: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
