import type { ChildProcess } from 'node:child_process';

const READY_TIMEOUT_MS = 60_000;

/** The port opens before the server can answer, and a request in between is never answered: wait for its ready line. */
export function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`not ready: ${output}`));
    }, READY_TIMEOUT_MS);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        const url = /listening on (http:\S+)/.exec(output)?.[1];
        if (url === undefined) return;
        clearTimeout(timer);
        resolve(url);
      });
    child.once('exit', () => reject(new Error(`ended early: ${output}`)));
  });
}
