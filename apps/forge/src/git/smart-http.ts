import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../limits.ts';
import { type GitRequest, parseCgiHead } from './cgi.ts';
import { type Place, refEnvironment } from './environment.ts';
import { exportEnvironment, hooksDirOf } from './export.ts';
import { openRepository } from './open.ts';
import { unbornRules } from '../protection/unborn.ts';
import { isForeign } from './own-store.ts';

type Settings = Array<[string, string]>;

function hide(service: string, shown: string[]): Settings {
  return [
    [`${service}.hideRefs`, 'refs/'],
    ...shown.map((prefix): [string, string] => [`${service}.hideRefs`, `!${prefix}`]),
  ];
}

/** What a push may touch. Everything else (a stash, remote branches, our pull refs) is hidden and so refused by git. */
function serviceSettings(place: Place): Settings {
  const visible = ['refs/heads/', 'refs/tags/', 'refs/ship/'];
  return [
    ['http.receivepack', 'true'],
    ['http.uploadpack', 'true'],
    ...hide('receive', visible),
    ['receive.hideRefs', 'refs/heads/HEAD'],
    ...hide('uploadpack', [...visible, 'refs/pull/']),
    ['uploadpack.allowFilter', 'true'],
    ['uploadpack.allowAnySHA1InWant', 'true'],
    ['receive.denyCurrentBranch', 'refuse'],
    ['receive.denyDeleteCurrent', 'refuse'],
    ['receive.fsckObjects', 'true'],
    ['receive.fsck.zeroPaddedFilemode', 'ignore'],
    ['receive.fsck.missingSpaceBeforeDate', 'ignore'],
    ['receive.fsck.badTimezone', 'ignore'],
    ['receive.maxInputSize', String(limits.pushBytes)],
    // Looking for differences between large files takes minutes and finds none.
    ['core.bigFileThreshold', '8m'],
    // The user's own git tidies the user's folder.
    ['receive.autogc', String(!isForeign(place))],
  ];
}

function guardSettings(guard: PushGuard | undefined): Settings {
  if (guard === undefined) return [];
  const refs = Object.keys(guard.refusals);
  return [
    ['core.hooksPath', guard.hooksDir],
    ...refs.map((ref): [string, string] => ['receive.procReceiveRefs', ref]),
  ];
}

/** Asked by git about updates of some branches: a folder with the hook, and what the hook is told. */
export interface PushGuard {
  hooksDir: string;
  refusals: Readonly<Record<string, unknown>>;
}

export interface Transfer {
  request: GitRequest;
  place: Place;
  login: string;
  guard: PushGuard | undefined;
  /** The session that pushes, if one does, and the hooks that hold for it. */
  session: { id: string; settings: Settings } | undefined;
  signal: AbortSignal;
  /** Runs when git is done and before the client learns so. */
  finished: () => Promise<void>;
}

/** Hands one request to `git http-backend` as CGI, streaming both ways; each side waits for the other. */
export async function serveGit(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  transfer: Transfer,
): Promise<void> {
  const { request, place } = transfer;
  const view = await openRepository(place);
  const unborn = await unbornRules(place);
  // The client left while it waited for its turn; a process started now would wait for a body that never comes.
  if (incoming.destroyed || outgoing.destroyed) return;
  const { GIT_DIR: _, ...environment } = refEnvironment(place, [
    ...serviceSettings(place),
    ...(isForeign(place) ? [['core.hooksPath', hooksDirOf(place)] satisfies [string, string]] : []),
    ...unborn.settings,
    ...guardSettings(transfer.guard),
    ...(transfer.session?.settings ?? []),
  ]);
  const child = spawn('git', ['http-backend'], {
    cwd: view,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...environment,
      ...exportEnvironment(place),
      ...unborn.environment,
      ...cgiEnvironment(incoming, transfer, view),
      ...(transfer.session && { SHIP_FORGE_SESSION: transfer.session.id }),
      ...(transfer.guard && { SHIP_FORGE_PROTECTED: JSON.stringify(transfer.guard.refusals) }),
    },
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve());
  });
  const kill = () => {
    child.stdin.destroy();
    child.kill('SIGTERM');
  };
  transfer.signal.addEventListener('abort', kill, { once: true });
  // A client that goes away must not leave its git behind.
  outgoing.on('close', kill);
  child.stderr.resume();
  child.stdin.on('error', () => undefined);
  incoming.on('error', () => child.stdin.end());
  incoming.pipe(child.stdin);
  try {
    await relay(child.stdout, outgoing);
    await ended;
    outgoing.off('close', kill);
    if (request.service === 'git-receive-pack' && request.path !== '/info/refs')
      await transfer.finished();
    if (!outgoing.headersSent) outgoing.writeHead(500);
    outgoing.end();
  } finally {
    transfer.signal.removeEventListener('abort', kill);
    incoming.unpipe(child.stdin);
    // What the client still sends is read and dropped, so that it gets to read the answer.
    incoming.resume();
  }
}

function cgiEnvironment(
  incoming: IncomingMessage,
  transfer: Transfer,
  view: string,
): Record<string, string> {
  const { request } = transfer;
  const header = (name: string) => {
    const value = incoming.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const protocol = header('git-protocol');
  return {
    GIT_PROJECT_ROOT: view,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: request.path,
    REQUEST_METHOD: request.path === '/info/refs' ? 'GET' : 'POST',
    QUERY_STRING: request.path === '/info/refs' ? `service=${request.service}` : '',
    CONTENT_TYPE: header('content-type') ?? '',
    REMOTE_USER: transfer.login,
    REMOTE_ADDR: '127.0.0.1',
    SERVER_PROTOCOL: 'HTTP/1.1',
    // No CONTENT_LENGTH: told one, `http-backend` waits for that many bytes for ever, at full speed, when the sender is gone.
    ...(header('content-encoding') === 'gzip' ? { HTTP_CONTENT_ENCODING: 'gzip' } : {}),
    // Only the form that git itself sends: the value becomes an environment variable.
    ...(protocol !== undefined && /^version=[012]$/.test(protocol)
      ? { GIT_PROTOCOL: protocol }
      : {}),
  };
}

/** Head first, then the body chunk by chunk; reading stops while the client is slow. */
async function relay(source: NodeJS.ReadableStream, outgoing: ServerResponse): Promise<void> {
  let pending = Buffer.alloc(0);
  let started = false;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    if (outgoing.destroyed) return;
    if (started) {
      await write(outgoing, chunk);
      continue;
    }
    pending = Buffer.concat([pending, chunk]);
    const head = parseCgiHead(pending);
    if (head === 'incomplete') continue;
    if (head === 'malformed') throw new Error('git http-backend gave a malformed answer');
    outgoing.writeHead(head.status, head.headers.flat());
    started = true;
    await write(outgoing, pending.subarray(head.bodyStart));
  }
}

async function write(outgoing: ServerResponse, chunk: Buffer): Promise<void> {
  if (chunk.length === 0 || outgoing.write(chunk)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.on('drain', done);
    outgoing.on('close', done);
  });
}
