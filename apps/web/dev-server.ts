/** Vite's development server in front of a running Ship. It serves the web app with hot reload and proxies the API to Ship. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signInUrl } from '@ship/protocol/sign-in-link';
import { type ProxyOptions, type ViteDevServer, createServer } from 'vite';

const HOST = '127.0.0.1';
/** Loopback names only, as in Ship: any other name belongs to an internet page that resolves it to this machine. */
const OWN_NAMES = ['localhost', '127.0.0.1', 'ship.localhost'];

export interface DevServerOptions {
  /** Origin of the running Ship. */
  ship: string;
  /** 0 is any free port. */
  port: number;
}

export async function startDevServer({ ship, port }: DevServerOptions): Promise<ViteDevServer> {
  const server = await createServer({
    root: fileURLToPath(new URL('.', import.meta.url)),
    server: {
      host: HOST,
      port,
      strictPort: true,
      // With Vite's default, pages on every port of this machine could read the answers.
      cors: false,
      proxy: { '/api': apiProxy(ship) },
    },
  });
  try {
    return await server.listen();
  } catch (error) {
    // Otherwise its file watchers keep the process alive after the message that the port is in use.
    await server.close();
    throw error;
  }
}

/**
 * Ship refuses requests whose origin is not its own page. This server's page counts as one; the origin of any other page stays
 * unchanged, so Ship refuses it.
 */
function apiProxy(ship: string): ProxyOptions {
  const useShipOrigin = (
    outgoing: { setHeader(name: string, value: string): unknown },
    { headers, socket }: IncomingMessage,
  ) => {
    if (isOwnOrigin(headers.origin, socket.localPort)) outgoing.setHeader('origin', ship);
  };
  return {
    target: ship,
    ws: true,
    changeOrigin: true,
    configure: (proxy) => {
      proxy.on('proxyReq', useShipOrigin);
      proxy.on('proxyReqWs', useShipOrigin);
    },
  };
}

const isOwnOrigin = (origin: string | undefined, port: number | undefined): boolean =>
  OWN_NAMES.some((name) => origin === `http://${name}:${port}`);

/** Undefined if a Ship server answers there, else the reason and the next step. */
export async function shipProblem(ship: string): Promise<string | undefined> {
  try {
    const { ok } = await fetch(new URL('/api/health', ship));
    return ok ? undefined : `${ship} answers, but it is not a Ship server.`;
  } catch {
    return noShipMessage(ship);
  }
}

const noShipMessage = (ship: string): string =>
  `No Ship server answers at ${ship}. Start one with \`npm start -- --no-open\`, or pass another address: \`npm run dev -- --server http://127.0.0.1:PORT\`.`;

/** A link to a page of this server that signs in to Ship; undefined without Ship's data folder. */
export async function devSignInLink(
  page: string,
  ship: string,
  dataFolder: string,
): Promise<string | undefined> {
  try {
    const token = readFileSync(join(dataFolder, 'secrets', 'local-token'), 'utf8');
    const answer = await fetch(new URL('/api/sign-in/links', ship), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    const { code } = (await answer.json()) as { code?: unknown };
    return typeof code === 'string' ? signInUrl(page, code) : undefined;
  } catch {
    return undefined;
  }
}
