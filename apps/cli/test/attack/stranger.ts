/** Acts as another UNIX user of the machine. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const NOBODY = '65534';
const AS_NOBODY = ['--reuid', NOBODY, '--regid', NOBODY, '--clear-groups', '--'];

export interface Answer {
  status: number;
  cookies: string[];
  location: string | undefined;
  text: string;
}

/** Only root can change the user; otherwise the attack comes from a program that does not read the data folder. */
export const canChangeUser = process.getuid?.() === 0;

export async function strangerAsks(url: string, ...options: string[]): Promise<Answer> {
  const curl = ['curl', '--silent', '--include', '--max-time', '20', ...options, url];
  const [command = '', ...args] = canChangeUser ? ['setpriv', ...AS_NOBODY, ...curl] : curl;
  return read((await promisify(execFile)(command, args)).stdout);
}

/** Drops its privileges itself, because the other user may not be able to read the program. Prints all requests. */
const TRAP = `
const http = require('node:http');
process.setgroups([]);
process.setgid(${NOBODY});
process.setuid(${NOBODY});
http.createServer((request, response) => {
  console.log(request.url, JSON.stringify(request.headers));
  response.end('{}');
}).listen(Number(process.argv[1]), '127.0.0.1', () => console.log('listening'));`;

/** A program of the other user on a port of this machine; only root can start it. */
export async function listenAsStranger(port: number) {
  const child = spawn(process.execPath, ['-e', TRAP, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let heard = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (heard += chunk));
  await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => Promise.reject(new Error('the trap did not start'))),
  ]);
  return {
    heard: () => heard,
    close: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Tries continuously to bind a port on both loopback addresses; prints when it has the port, and all requests. */
const SQUATTER = `
const http = require('node:http');
if (process.getuid() === 0) { process.setgroups([]); process.setgid(${NOBODY}); process.setuid(${NOBODY}); }
for (const host of ['127.0.0.1', '::1']) {
  const attempt = () => {
    const server = http.createServer((request, response) => {
      console.log('HEARD', request.url, JSON.stringify(request.headers));
      response.end('{}');
    });
    server.once('error', () => setImmediate(attempt));
    server.listen({ port: Number(process.argv[1]), host }, () => console.log('TAKEN', host));
  };
  attempt();
}
console.log('trying');`;

export async function squat(port: number) {
  const child = spawn(process.execPath, ['-e', SQUATTER, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  await once(child.stdout, 'data');
  return {
    output: () => output,
    close: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function read(output: string): Answer {
  const end = output.indexOf('\r\n\r\n');
  const lines = output.slice(0, end).split('\r\n');
  const values = (name: string) =>
    lines
      .filter((line) => line.toLowerCase().startsWith(`${name}: `))
      .map((line) => line.slice(name.length + 2));
  return {
    status: Number(lines[0]?.split(' ')[1]),
    cookies: values('set-cookie').map((cookie) => cookie.split(';')[0] ?? ''),
    location: values('location')[0],
    text: output.slice(end + 4),
  };
}
