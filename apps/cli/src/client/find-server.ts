import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ShipClient } from '@ship/protocol/client';
import { Failure } from '../failure.ts';
import { readAnnouncement } from '../host/data-folder.ts';
import { uidsOfListeners } from '../host/socket-owner.ts';

export interface ServerOptions {
  /** URL of a running server; the data folder's server when absent. */
  url?: string;
  /** Absolute path. */
  dataFolder: string;
}

export interface FoundServer {
  client: ShipClient;
  /** URL of the web app for browsers. */
  pageUrl: string;
}

const LOOPBACK_HOSTS = /^(localhost|127\.0\.0\.1|\[::1\]|(.+\.)?localhost)$/;
const PROBE_TIMEOUT_MS = 3_000;

/** Finds the server that the user named or that the data folder announces. Undefined when none was named and none runs. */
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
    throw new Failure(`${named} is not a server URL`, 'Use a URL such as http://host:4400.', 2);
  }
  // Send the data folder's token only to that folder's server.
  const isOurs =
    LOOPBACK_HOSTS.test(url.hostname) &&
    announced !== undefined &&
    url.port === new URL(announced).port;
  const token = env.SHIP_TOKEN ?? (isOurs ? tokenFor(named, dataFolder) : undefined);
  if (token !== undefined) return serverAt(named, token);
  throw new Failure(
    `no token for ${url.host}`,
    'Set SHIP_TOKEN to an API token, or name the data folder of a server on this machine with --data FOLDER.',
  );
}

export async function serverAt(url: string, token: string | undefined): Promise<FoundServer> {
  // Imported late: it is two hundred files, and starting a temporary server must not wait for them.
  const { ShipClient } = await import('@ship/protocol/client');
  const base = new URL(url);
  // Not every resolver knows names below localhost, but 127.0.0.1 always works; and its listener was checked.
  if (LOOPBACK_HOSTS.test(base.hostname)) base.hostname = '127.0.0.1';
  return {
    client: new ShipClient({ baseUrl: base.origin, token }),
    pageUrl: url.replace(/\/+$/, ''),
  };
}

/**
 * The data folder's token, only for a server that the folder's owner runs. While Ship does not run, any user of the machine can
 * listen on its port to steal the token.
 */
function tokenFor(url: string, dataFolder: string): string | undefined {
  const port = Number(new URL(url).port || 80);
  const owner = ownerOf(dataFolder);
  const strangers = uidsOfListeners(port).filter((uid) => owner !== undefined && uid !== owner);
  if (strangers.length === 0) return readToken(dataFolder);
  throw new Failure(
    `port ${port} is not Ship's: a program of user ${strangers[0]} listens there`,
    'Stop that program, or start Ship on another port: npm start -- --port N',
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

/** Whether the server answers: a killed host leaves a stale announcement. */
async function answers(client: ShipClient): Promise<boolean> {
  try {
    await client.health({ signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  }
}
