import { accessSync, constants } from 'node:fs';

const SETPRIV = '/usr/bin/setpriv';

interface Command {
  command: string;
  args: string[];
}

/** Kills the child with this process: after kill -9 of the host it would otherwise keep ports and files busy for the next start. */
export function killWithParent({ command, args }: Command): Command {
  try {
    accessSync(SETPRIV, constants.X_OK);
  } catch {
    return { command, args };
  }
  return { command: SETPRIV, args: ['--pdeathsig', 'KILL', '--', command, ...args] };
}
