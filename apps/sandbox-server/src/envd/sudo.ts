/**
 * `sudo` inside: the program requests it at this socket, and the supervisor starts the broker that runs commands as root.
 * Everyone inside may use it, as in E2B's sandboxes; root inside is an unprivileged uid outside.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';

const FOLDER = '/run/envd';
const BROKER = '/opt/envd/sudo-broker';

export function startSudoListener(): void {
  mkdirSync(FOLDER, { recursive: true, mode: 0o755 });
  let starting: Promise<unknown> | undefined;
  const server = createServer((client) => {
    client.on('error', () => {});
    starting ??= startBroker(() => (starting = undefined));
    void starting.then(
      () => client.end('ready\n'),
      () => client.destroy(),
    );
  });
  server.on('error', () => {});
  server.listen(`${FOLDER}/wake.sock`, () => chmodSync(`${FOLDER}/wake.sock`, 0o666));
}

async function startBroker(onEnd: () => void): Promise<void> {
  const child = spawn(BROKER, { stdio: ['ignore', 'pipe', 'ignore'], env: {}, detached: true });
  child.once('exit', onEnd);
  child.once('error', onEnd);
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('no broker'))),
  ]);
  child.stdout.destroy();
}
