/** Which user of this machine a socket on loopback belongs to: the kernel tells in /proc/net/tcp. */
import { readFileSync } from 'node:fs';

/** 127.0.0.1 as the kernel writes it. */
const LOOPBACK = '0100007F';
const LISTENING = '0A';
const ESTABLISHED = '01';

interface Row {
  local: string;
  remote: string;
  state: string;
  uid: number;
}

/** The user at the other end of a connection from 127.0.0.1; undefined when the kernel does not tell. */
export function uidOfClient(
  { clientPort, serverPort }: { clientPort: number; serverPort: number },
  table = readTable(),
): number | undefined {
  return rowsOf(table).find(({ state, local, remote }) => {
    return state === ESTABLISHED && local === place(clientPort) && remote === place(serverPort);
  })?.uid;
}

/** The users whose programs listen on 127.0.0.1, or on all addresses; none when nobody does, or it is not known. */
export function uidsOfListeners(port: number, table = readTable()): number[] {
  const anywhere = `00000000:${hex(port)}`;
  return rowsOf(table)
    .filter(({ state, local }) => state === LISTENING && [place(port), anywhere].includes(local))
    .map(({ uid }) => uid);
}

const place = (port: number): string => `${LOOPBACK}:${hex(port)}`;

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
