import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { uidOfClient, uidsOfListeners } from './socket-owner.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1130 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000    33        0 2 1 0 100 0 0 10 0
   2: 0100007F:C350 0100007F:1130 01 00000000:00000000 00:00000000 00000000 65534        0 3 1 0 100 0 0 10 0
   3: 0100007F:1130 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 4 1 0 100 0 0 10 0
`;

it('[UP12] reads a socket’s owner from the kernel’s table, or undefined', () => {
  expect(uidsOfListeners(0x1130, TABLE)).toEqual([1000]);
  expect(uidsOfListeners(0x1f90, TABLE)).toEqual([33]);
  expect(uidsOfListeners(50_000, TABLE)).toEqual([]);
  expect(uidOfClient({ clientPort: 50_000, serverPort: 0x1130 }, TABLE)).toBe(65_534);
  expect(uidOfClient({ clientPort: 50_001, serverPort: 0x1130 }, TABLE)).toBeUndefined();
  expect(uidsOfListeners(0x1130, '')).toEqual([]);
});

it('[UP12] finds its own sockets in the real table', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  await once(client, 'connect');
  try {
    expect(uidsOfListeners(port)).toEqual([process.getuid?.()]);
    const clientPort = client.localPort ?? 0;
    expect(uidOfClient({ clientPort, serverPort: port })).toBe(process.getuid?.());
  } finally {
    client.destroy();
    server.close();
  }
});
