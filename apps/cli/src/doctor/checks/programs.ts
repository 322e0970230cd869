import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import programs from '../../../machine-programs.json' with { type: 'json' };
import type { Finding } from '../examine.ts';

/** System folders only: a `python3` in a home folder does not exist inside a sandbox. */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** Programs that Ship needs on the machine; one that only the tests need is a warning. */
export function checkPrograms(folders: readonly string[] = SYSTEM_FOLDERS): Finding[] {
  return programs.map(({ command, package: name, why, profiles }): Finding => {
    const found = find(command, folders);
    if (found !== undefined) return { check: command, verdict: 'pass', detail: found };
    return {
      check: command,
      verdict: profiles.includes('start') ? 'fail' : 'warn',
      detail: `not found (${why})`,
      remedy: `sudo apt-get install -y ${name}`,
    };
  });
}

function find(command: string, folders: readonly string[]): string | undefined {
  return folders
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
