/**
 * `node hold-connections.ts PORT COUNT`: opens that many connections to a port of this machine, begins a request on each
 * and never ends it. Prints how many are open, closes them when its input ends.
 */
import { connect, type Socket } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
if (port === undefined || count === undefined) throw new Error('a port and a count are needed');
const open = new Set<Socket>();

const one = (): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      open.add(socket);
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Never:');
      resolve();
    });
    socket.on('error', () => resolve());
    socket.on('close', () => open.delete(socket));
    socket.resume();
  });

const AT_ONCE = 100;
for (let made = 0; made < count; made += AT_ONCE)
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - made) }, one));
process.stdout.write(`${open.size}\n`);
process.stdin.resume().on('end', () => process.exit(0));
