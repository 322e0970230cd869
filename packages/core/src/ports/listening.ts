import { EDITOR_PORT, isOwnPort } from './own-ports.ts';

const LISTEN = '0A';
/** 0.0.0.0, ::, 127.0.0.1 and their IPv6 forms: addresses that a connection to 127.0.0.1 in the sandbox reaches. */
const REACHABLE: ReadonlySet<string> = new Set([
  '00000000',
  '0100007F',
  '00000000000000000000000000000000',
  '0000000000000000FFFF00000100007F',
]);

/** The listening ports in the concatenated `/proc/net/tcp` and `tcp6`, without Ship's own. */
export function listeningPorts(tables: string): number[] {
  const ports = new Set<number>();
  for (const line of tables.split('\n')) {
    const [, address, , state] = line.trim().split(/\s+/);
    const [host, hexPort] = address?.split(':') ?? [];
    if (state !== LISTEN || host === undefined || !/^[0-9A-F]{4}$/i.test(hexPort ?? '')) continue;
    const port = Number.parseInt(hexPort ?? '', 16);
    if (isOwnPort(port) || port === EDITOR_PORT || port === 0) continue;
    if (REACHABLE.has(host.toUpperCase())) ports.add(port);
  }
  return [...ports].toSorted((a, b) => a - b);
}
