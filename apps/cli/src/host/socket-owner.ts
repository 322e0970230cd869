/** The user that owns a loopback socket, from /proc/net/tcp. */
import { readFileSync } from 'node:fs';

/** 127.0.0.1 in the kernel's format. */
const LOOPBACK = '0100007F';
const LISTENING = '0A';
const ESTABLISHED = '01';

interface Row {
  local: string;
  remote: string;
  state: string;
  uid: number;
}

/** The user at the client end of a connection from 127.0.0.1; undefined when unknown. */
export function uidOfClient(
  { clientPort, serverPort }: { clientPort: number; serverPort: number },
  table = readTable(),
): number | undefined {
  return rowsOf(table).find(({ state, local, remote }) => {
    return (
      state === ESTABLISHED && local === endpoint(clientPort) && remote === endpoint(serverPort)
    );
  })?.uid;
}

/** Users whose programs listen on 127.0.0.1 or on all addresses; empty when none does, or when unknown. */
export function uidsOfListeners(port: number, table = readTable()): number[] {
  const anywhere = `00000000:${hex(port)}`;
  return rowsOf(table)
    .filter(({ state, local }) => state === LISTENING && [endpoint(port), anywhere].includes(local))
    .map(({ uid }) => uid);
}

const endpoint = (port: number): string => `${LOOPBACK}:${hex(port)}`;

const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

function rowsOf(table: string): Row[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local, remote, state, , , , uid] = line.trim().split(/\s+/);
      if (local === undefined || remote === undefined || state === undefined) return [];
      return [{ local, remote, state, uid: Number(uid) }];
    });
}

function readTable(): string {
  try {
    return readFileSync('/proc/net/tcp', 'utf8');
  } catch {
    return '';
  }
}
