import { getRequestListener } from '@hono/node-server';
import { mkdirSync, realpathSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { ForgeFailure } from './failure.ts';
import type { Forge, Urls } from './forge.ts';
import { SerialQueues } from './git/serial-queue.ts';
import { gitPlain } from './git/process.ts';
import { checkGit } from './git/version.ts';
import { Authenticator } from './http/actor.ts';
import { createApp } from './http/app.ts';
import { ApiError } from './http/errors.ts';
import { GitHandler } from './http/git-handler.ts';
import { allowedHostNames, checkSource } from './http/guard.ts';
import { limits } from './limits.ts';
import { type ForgeOptions, parseOptions } from './options.ts';
import { startLockCleanup, recover } from './maintenance.ts';
import { installHooks } from './protection/hooks.ts';
import { acquireRootLock } from './store/database.ts';
import { Store } from './store/store.ts';
import { Outbox } from './webhooks/outbox.ts';
import { Sender } from './webhooks/sender.ts';

export interface RunningForge {
  apiUrl: string;
  gitUrl: string;
  close(): Promise<void>;
}

/** Longer than clients keep idle connections. */
const KEEP_ALIVE_MS = 75_000;

/** Starts the forge on a root folder, which holds all of its state. The process can be killed at any time. */
export async function startForge(input: ForgeOptions): Promise<RunningForge> {
  const options = parseOptions(input);
  const now = input.now ?? (() => new Date());
  const log = input.log ?? (() => undefined);
  const root = createRoot(options.root);
  const stateDir = join(root, '.forge');
  const neutralDir = join(stateDir, 'neutral.git');
  const lock = acquireRootLock(join(stateDir, 'lock'), root);
  const store = openStore(join(stateDir, 'state.sqlite'), now, () => lock.close());
  const outbox = new Outbox(store.deliveries, options.webhooks);
  const sender = new Sender(store.deliveries, options.webhooks, options.webhookRetryMs, log);
  // With Node's default of 5 s the server closes connections that a client is about to reuse: a POST in flight is then
  // reset, and clients must not retry it.
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  const stop = new AbortController();
  const queues = new SerialQueues();
  const closeAll = async () => {
    stop.abort();
    await closeServer(server);
    // Work in progress still writes its result: keep the database open until it is done.
    await queues.idle();
    await sender.close();
    store.db.close();
    lock.close();
  };
  try {
    await checkGit(stateDir, neutralDir);
    const init = ['init', '--quiet', '--bare', '--template=', neutralDir];
    await gitPlain(neutralDir, stateDir, init, { environment: { HOME: stateDir } });
    store.users.ensure(options.login, options.name, options.email);
    for (const token of options.tokens) store.users.ensure(token.login, token.name, token.email);
    const authenticator = new Authenticator(store.users, options.tokens, options.login, now);
    const urls = await listen(server, options.host, options.port, options.htmlUrl);
    const hooksDir = installHooks(stateDir);
    const parts = {
      options,
      root,
      neutralDir,
      hooksDir,
      urls,
      store,
      queues,
      outbox,
      authenticator,
      now,
    };
    const forge: Forge = { ...parts, log };
    const recovered = recover(forge);
    serve(forge, server, stop.signal, recovered);
    await recovered;
    outbox.onWake(() => sender.wake());
    sender.wake();
    const stopLockCleanup = startLockCleanup(forge);
    return {
      apiUrl: urls.api,
      gitUrl: urls.git,
      close: async () => {
        await stopLockCleanup();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function createRoot(path: string): string {
  try {
    mkdirSync(join(resolve(path), '.forge'), { recursive: true, mode: 0o700 });
    return realpathSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ForgeFailure(
      `cannot use the folder ${path}: ${reason}`,
      'Choose another with --root.',
    );
  }
}

function openStore(file: string, now: () => Date, onError: () => void): Store {
  try {
    return new Store(file, now);
  } catch (error) {
    onError();
    throw error;
  }
}

async function listen(
  server: Server,
  host: string,
  port: number,
  htmlUrl: string | undefined,
): Promise<Urls> {
  await new Promise<void>((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      fail(
        error.code === 'EADDRINUSE'
          ? new ForgeFailure(
              `port ${port} is in use`,
              'Choose another with --port, or 0 for any free one.',
            )
          : error,
      ),
    );
    server.listen(port, host, done);
  });
  const { port: actual } = server.address() as AddressInfo;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
  const git = `${origin}/git`;
  return { api: origin, git, html: htmlUrl?.replace(/\/+$/, '') ?? git };
}

/** Requests that arrive during recovery wait for it. */
function serve(forge: Forge, server: Server, stop: AbortSignal, ready: Promise<void>): void {
  const git = new GitHandler(forge, stop);
  const api = getRequestListener(createApp(forge).fetch, { overrideGlobalObjects: false });
  const hosts = allowedHostNames(forge.options.host, forge.options.allowedHosts);
  // A push may take hours as long as data flows; idle connections time out.
  server.requestTimeout = 0;
  server.headersTimeout = 15_000;
  server.timeout = limits.socketIdleMs;
  server.on('request', (incoming, outgoing) => {
    try {
      const { host, origin } = incoming.headers;
      const site = incoming.headers['sec-fetch-site'];
      checkSource({ host, origin, site: typeof site === 'string' ? site : undefined }, hosts);
    } catch (error) {
      const refusal = error instanceof ApiError ? error : new ApiError(400, 'Bad request');
      outgoing.writeHead(refusal.status, {
        'content-type': 'application/json',
        connection: 'close',
      });
      outgoing.end(JSON.stringify(refusal.body));
      return;
    }
    const handle = () =>
      incoming.url?.startsWith('/git/') === true
        ? git.handle(incoming, outgoing)
        : api(incoming, outgoing);
    ready.then(handle, () => outgoing.destroy());
  });
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), 2000);
  await closed;
  clearTimeout(force);
}
