import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

import type { ProxyEndpoint } from './upstream-proxy.ts';

/** All addresses of a name. Injectable, so that no test queries a real resolver. */
export type Resolver = (host: string) => Promise<string[]>;
/** Connects to exactly this address. Injectable, so that no test leaves the loopback. */
export type Dialer = (address: string, port: number) => Promise<Duplex>;

/** Destination of an authorized connection. */
export interface Destination {
  host: string;
  port: number;
  /** The authorized address; undefined where only the upstream proxy can resolve the name. */
  address: string | undefined;
  /** Undefined: dialled directly, at `address`. */
  proxy: ProxyEndpoint | undefined;
}

const CONNECT_TIMEOUT_MS = 10_000;

export const systemResolver: Resolver = async (host) => {
  const found = await lookup(host, { all: true, order: 'ipv4first' });
  return found.map(({ address }) => address);
};

export const systemDialer: Dialer = (address, port) =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true });
    const timer = setTimeout(() => {
      socket.destroy(new Error(`no answer within ${CONNECT_TIMEOUT_MS} ms`));
    }, CONNECT_TIMEOUT_MS);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
