/** Opens many connections from a separate process, so that they do not use up the test's descriptors. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('hold-connections.ts', import.meta.url));

/** `npm run attack` opens as many as the promise says; `npm test` enough to see whether each costs something. */
export const FLOOD_SIZE = process.env['SHIP_ATTACK'] === 'full' ? 10_000 : 1_500;

export interface Flood {
  /** Connections that were open when all had been tried. */
  open: number;
  end(): Promise<void>;
}

export async function flood(port: number, count: number = FLOOD_SIZE): Promise<Flood> {
  const child = spawn(process.execPath, [SCRIPT, String(port), String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    open: Number(line.toString()),
    async end() {
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
    },
  };
}
