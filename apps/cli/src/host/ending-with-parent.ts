import { accessSync, constants } from 'node:fs';

const SETPRIV = '/usr/bin/setpriv';

interface Command {
  command: string;
  args: string[];
}

/** After kill -9 of the host, what it has started would go on and hold ports and files against the next start. */
export function endingWithItsParent({ command, args }: Command): Command {
  try {
    accessSync(SETPRIV, constants.X_OK);
  } catch {
    return { command, args };
  }
  return { command: SETPRIV, args: ['--pdeathsig', 'KILL', '--', command, ...args] };
}
