/**
 * Plays the host in a separate network namespace: 169.254.169.254 and a LAN address belong to this namespace, with
 * listeners that count. network.test.ts starts it through `ip netns exec`; it prints the attempts and arrivals as JSON.
 */
import { createServer } from 'node:net';
import { readlinkSync } from 'node:fs';
import { once } from 'node:events';
import { openAttackHarness } from './attack-harness.ts';

const METADATA = '169.254.169.254';
const LAN = '192.168.77.1';
const ABSTRACT = '\0ship-attack-abstract';

/** The network namespace of the parent process. */
const [, , hostNamespace] = process.argv;
if (hostNamespace === undefined || readlinkSync('/proc/self/ns/net') === hostNamespace) {
  throw new Error('not in the network namespace that was made for this test');
}

const arrived: Record<string, number> = { metadata: 0, lan: 0, loopback: 0, abstract: 0 };
async function count(name: string, address: object): Promise<number> {
  const server = createServer((socket) => {
    arrived[name] = (arrived[name] ?? 0) + 1;
    socket.destroy();
  });
  server.listen(address);
  await once(server, 'listening');
  const bound = server.address();
  server.unref();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}

await count('metadata', { host: METADATA, port: 80 });
await count('lan', { host: LAN, port: 8080 });
const loopbackPort = await count('loopback', { host: '127.0.0.1', port: 0 });
await count('abstract', { path: ABSTRACT });

const harness = await openAttackHarness();
try {
  await harness.start('net');
  await harness.start('peer');
  const routes = await harness.shell(
    'net',
    'cat /proc/net/route; cat /proc/net/ipv6_route | grep -v " lo$"',
    'root',
  );
  // Only a sandbox without routes may try: a broken one could reach real addresses.
  const routeLines = routes.output.trim().split('\n').filter(Boolean).slice(1);
  if (routeLines.length > 0) throw new Error(`the sandbox has routes: ${routes.output}`);
  await harness.shell('peer', '(setsid python3 -m http.server 18099 >/dev/null 2>&1 &)');
  const attempt = `
import json
def tcp(host, port):
    s = socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET); s.settimeout(2)
    try:
        s.connect((host, port)); return 'CONNECTED'
    except OSError as error:
        return type(error).__name__
def unix(path):
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect(path); return 'CONNECTED'
    except OSError as error:
        return type(error).__name__
print(json.dumps({
    'metadata': tcp('${METADATA}', 80), 'lan': tcp('${LAN}', 8080), 'loopback': tcp('127.0.0.1', ${loopbackPort}),
    'loopback6': tcp('::1', ${loopbackPort}), 'mapped': tcp('::ffff:${METADATA}', 80), 'decimal': tcp('2852039166', 80),
    'peer': tcp('127.0.0.1', 18099), 'abstract': unix('\\0ship-attack-abstract'),
}))
`;
  const tried: Record<string, unknown> = {};
  for (const user of ['user', 'root'] as const) {
    tried[user] = JSON.parse(
      (await harness.python('net', attempt, user)).output.trim().split('\n').at(-1) ?? '{}',
    );
  }
  const links = await harness.shell(
    'net',
    'ip link add d0 type dummy && echo MADE; ip addr add 169.254.169.254/32 dev lo && echo MADE; ip route add default dev lo && echo MADE',
    'root',
  );
  process.stdout.write(`${JSON.stringify({ tried, arrived, links: links.output })}\n`);
} finally {
  await harness.end();
}
