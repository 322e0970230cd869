import { describe, expect, it } from 'vitest';
import { listeningPorts } from './listening.ts';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const row = (address: string, state: string, remote = '00000000:0000') =>
  `   0: ${address} ${remote} ${state} 00000000:00000000 00:00000000 00000000  1000        0 4711 1`;
const ANY6 = '0'.repeat(32);

describe('listening ports of a sandbox', () => {
  it('[PX1] are the reachable ones, once each, in order', () => {
    const tables = [
      HEAD,
      row('00000000:1F90', '0A'),
      row('0100007F:0BB8', '0A'),
      HEAD,
      row(`${ANY6}:1435`, '0A', `${ANY6}:0000`),
      row(`${ANY6}:1F90`, '0A', `${ANY6}:0000`),
    ].join('\n');
    expect(listeningPorts(tables)).toEqual([3000, 5173, 8080]);
  });

  it('[PX1] are neither connections nor on other addresses', () => {
    const tables = [
      row('0100007F:1F90', '01', '0100007F:C350'),
      row('0200000A:1F91', '0A'),
      row(`${'0'.repeat(24)}01000000:1F92`, '0A'),
    ].join('\n');
    expect(listeningPorts(tables)).toEqual([]);
  });

  it('[PX1] exclude the agent, the editor, the sandbox’s server and the egress proxies', () => {
    const own = ['1000', 'C33F', '0C38', '1B59', '1B5A', '3419'];
    expect(listeningPorts(own.map((port) => row(`0100007F:${port}`, '0A')).join('\n'))).toEqual([]);
  });

  it('are empty for invalid input', () => {
    expect(listeningPorts('')).toEqual([]);
    expect(listeningPorts(`${HEAD}\nx\n 0: a 0A\n 0: 00000000:ZZZZ x 0A`)).toEqual([]);
  });
});
