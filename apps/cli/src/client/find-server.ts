import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ShipClient } from '@ship/protocol/client';
import { Failure } from '../failure.ts';
import { readAnnouncement } from '../host/data-folder.ts';
import { uidsOfListeners } from '../host/socket-owner.ts';

export interface ServerOptions {
  /** Of a server that runs; without it the one of the data folder is meant. */
  url?: string;
  /** Absolute. */
  dataFolder: string;
}

export interface FoundServer {
  client: ShipClient;
  /** Where a browser opens it. */
  pageUrl: string;
}

const LOOPBACK_HOSTS = /^(localhost|127\.0\.0\.1|\[::1\]|(.+\.)?localhost)$/;
const PROBE_TIMEOUT_MS = 3_000;

/** The server that the user means, if it answers. Undefined when none was named and none runs. */
export async function findServer(
  { url, dataFolder }: ServerOptions,
  env: NodeJS.ProcessEnv,
): Promise<FoundServer | undefined> {
  const announced = readAnnouncement(dataFolder)?.url;
  const named = url ?? env.SHIP_URL;
  if (named !== undefined) return namedServer(named, announced, dataFolder, env);
  if (announced === undefined) return undefined;
  const server = await serverAt(announced, tokenFor(announced, dataFolder));
  return (await answers(server.client)) ? server : undefined;
}

async function namedServer(
  named: string,
  announced: string | undefined,
  dataFolder: string,
  env: NodeJS.ProcessEnv,
): Promise<FoundServer> {
  const url = URL.parse(named);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Failure(`${named} is no address of a server`, 'It looks like http://host:4400.', 2);
  }
  // The token of the data folder goes to the server of that folder and to nobody else.
  const isOurs =
    LOOPBACK_HOSTS.test(url.hostname) &&
    announced !== undefined &&
    url.port === new URL(announced).port;
  const token = env.SHIP_TOKEN ?? (isOurs ? tokenFor(named, dataFolder) : undefined);
  if (token !== undefined) return serverAt(named, token);
  throw new Failure(
    `no token for ${url.host}`,
    'Put an API token into SHIP_TOKEN, or name the data folder of a server on this machine with --data FOLDER.',
  );
}

export async function serverAt(url: string, token: string | undefined): Promise<FoundServer> {
  // Only now: it is two hundred files, which a server of our own need not wait for before it is started.
  const { ShipClient } = await import('@ship/protocol/client');
  const base = new URL(url);
  // Not every resolver knows names below localhost; every machine knows the number. And the listener there was checked.
  if (LOOPBACK_HOSTS.test(base.hostname)) base.hostname = '127.0.0.1';
  return {
    client: new ShipClient({ baseUrl: base.origin, token }),
    pageUrl: url.replace(/\/+$/, ''),
  };
}

/**
 * The token of the data folder, for a server that its owner runs. While Ship does not run, any user of the machine can listen on
 * its port and wait for the token.
 */
function tokenFor(url: string, dataFolder: string): string | undefined {
  const port = Number(new URL(url).port || 80);
  const owner = ownerOf(dataFolder);
  const strangers = uidsOfListeners(port).filter((uid) => owner !== undefined && uid !== owner);
  if (strangers.length === 0) return readToken(dataFolder);
  throw new Failure(
    `port ${port} is not Ship's: a program of user ${strangers[0]} listens there`,
    'End that program, or start Ship on another port: npm start -- --port N',
  );
}

function ownerOf(dataFolder: string): number | undefined {
  try {
    return statSync(tokenFile(dataFolder)).uid;
  } catch {
    return undefined;
  }
}

const tokenFile = (dataFolder: string): string => join(dataFolder, 'secrets', 'local-token');

export function readToken(dataFolder: string): string | undefined {
  try {
    return readFileSync(tokenFile(dataFolder), 'utf8');
  } catch {
    return undefined;
  }
}

/** A host that was killed leaves its announcement behind. */
async function answers(client: ShipClient): Promise<boolean> {
  try {
    await client.health({ signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  }
}
