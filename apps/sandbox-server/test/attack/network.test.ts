/** Network attacks: attempts 3, 10 and 15 of the list. No packet can reach a real address: see network-inside.ts. */
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { openAttackHarness, type AttackHarness } from './attack-harness.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
/** Set where root created a namespace for the whole run of an ordinary user (scripts/ordinary-user): the host's own. */
const hostNamespace = process.env['SHIP_TEST_HOST_NAMESPACE'];
const namespace = `ship-attack-${process.pid}`;
const ip = (...args: string[]) => execFileSync('ip', args);
const script = fileURLToPath(new URL('network-inside.ts', import.meta.url));

async function runInNamespace(): Promise<string> {
  if (hostNamespace !== undefined)
    return (await run(process.execPath, [script, hostNamespace])).stdout;
  ip('netns', 'add', namespace);
  ip('-n', namespace, 'link', 'set', 'lo', 'up');
  for (const address of ['192.168.77.1/32', '169.254.169.254/32'])
    ip('-n', namespace, 'addr', 'add', address, 'dev', 'lo');
  const inside = [process.execPath, script, readlinkSync('/proc/self/ns/net')];
  return (await run('ip', ['netns', 'exec', namespace, ...inside])).stdout;
}

interface Report {
  tried: Record<'user' | 'root', Record<string, string>>;
  arrived: Record<string, number>;
  links: string;
}

describe.skipIf(!isRoot && hostNamespace === undefined)(
  '3 and 10: the control plane, abstract sockets, metadata, the LAN, other sandboxes',
  () => {
    let report: Report;

    beforeAll(async () => {
      const output = await runInNamespace();
      report = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Report;
    }, 60_000);
    afterAll(() => {
      if (hostNamespace === undefined) ip('netns', 'del', namespace);
    });

    it.each(['user', 'root'] as const)('as %s, every attempt fails', (user) => {
      const results = Object.entries(report.tried[user]);
      expect(results).toHaveLength(8);
      for (const [name, result] of results) expect(`${name}: ${result}`).not.toContain('CONNECTED');
    });

    it('[AT-10] attack: connects to metadata, the LAN, loopback or an abstract socket', () => {
      expect(report.arrived).toEqual({ metadata: 0, lan: 0, loopback: 0, abstract: 0 });
    });

    it('no interface, address or route can be added', () => {
      expect(report.links).not.toContain('MADE');
    });
  },
);

describe('15: port squatting', () => {
  let harness: AttackHarness;

  beforeAll(async () => {
    harness = await openAttackHarness();
    await harness.start('squatter');
  }, 60_000);
  afterAll(async () => await harness.end(), 60_000);

  it('[AT-15] attack: takes a port from the host’s programs', async () => {
    const port = await freePort();
    const { output } = await harness.python(
      'squatter',
      `
if os.fork() == 0:
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    s.bind(('0.0.0.0', ${port})); s.listen(5)
    null = os.open('/dev/null', os.O_RDWR)
    os.dup2(null, 1); os.dup2(null, 2)
    import time; time.sleep(60); os._exit(0)
import time
for _ in range(200):
    try: socket.create_connection(('127.0.0.1', ${port})); print('taken inside', flush=True); break
    except ConnectionRefusedError: time.sleep(0.1)
os._exit(0)
`,
    );
    expect(output).toContain('taken inside');
    const client = connect(port, '127.0.0.1');
    const [error] = (await once(client, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  }, 60_000);
});
