/** Direct access to a session's sandbox, bypassing Ship: tests start programs in it. */
import { readFileSync } from 'node:fs';
import { Sandbox } from 'e2b';
import type { Ship } from './ship.ts';

/** Reads the sandbox server's addresses from the control plane's environment, their only source. */
function addresses(ship: Ship) {
  const environment = descendants(ship.pid)
    .map((pid) => read(`/proc/${pid}/environ`).split('\0'))
    .find((variables) => variables.some((line) => line.startsWith('SHIP_E2B_API_KEY=')));
  const value = (name: string) =>
    environment?.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  return {
    apiUrl: value('SHIP_E2B_API_URL'),
    sandboxUrl: value('SHIP_E2B_SANDBOX_URL'),
    apiKey: value('SHIP_E2B_API_KEY'),
  };
}

function descendants(pid: number): string[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean);
  return children.flatMap((child) => [child, ...descendants(Number(child))]);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Waits until the session has a sandbox. */
export async function sandboxOf(ship: Ship, sessionId: string): Promise<Sandbox> {
  const options = addresses(ship);
  const query = { metadata: { 'ship-session': sessionId } };
  for (let i = 0; i < 600; i++) {
    const [found] = await Sandbox.list({ ...options, query }).nextItems();
    if (found?.state === 'running') return Sandbox.connect(found.sandboxId, options);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`session ${sessionId} got no sandbox`);
}
