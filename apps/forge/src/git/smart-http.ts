import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../limits.ts';
import { type GitRequest, parseCgiHead } from './cgi.ts';
import { type RepositoryPaths, refEnvironment } from './environment.ts';
import { exportEnvironment, hooksDirOf } from './export.ts';
import { openRepository } from './open.ts';
import { unbornRules } from '../protection/unborn.ts';
import { isUserRepository } from './private-store.ts';

type Settings = Array<[string, string]>;

function hide(service: string, shown: string[]): Settings {
  return [
    [`${service}.hideRefs`, 'refs/'],
    ...shown.map((prefix): [string, string] => [`${service}.hideRefs`, `!${prefix}`]),
  ];
}

/** Namespaces that a push may change. All others (stash, remote branches, pull refs) are hidden, so git refuses them. */
function serviceSettings(paths: RepositoryPaths): Settings {
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
    // Delta compression of large files takes minutes and saves nothing.
    ['core.bigFileThreshold', '8m'],
    // In a user's folder the user's own git runs gc.
    ['receive.autogc', String(!isUserRepository(paths))],
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

/** The hooks that check updates of protected branches, and their input. */
export interface PushGuard {
  hooksDir: string;
  refusals: Readonly<Record<string, unknown>>;
}

export interface Transfer {
  request: GitRequest;
  paths: RepositoryPaths;
  login: string;
  guard: PushGuard | undefined;
  /** The session that pushes, if any, and the settings of its hooks. */
  session: { id: string; settings: Settings } | undefined;
  signal: AbortSignal;
  /** Runs when git is done, before the response ends. */
  onFinished: () => Promise<void>;
}

/** Runs one request with `git http-backend` as CGI, streaming both ways with back pressure. */
export async function serveGit(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  transfer: Transfer,
): Promise<void> {
  const { request, paths } = transfer;
  const view = await openRepository(paths);
  const unborn = await unbornRules(paths);
  // The client disconnected while it was queued: git would wait for a body that never arrives.
  if (incoming.destroyed || outgoing.destroyed) return;
  const { GIT_DIR: _, ...environment } = refEnvironment(paths, [
    ...serviceSettings(paths),
    ...(isUserRepository(paths)
      ? [['core.hooksPath', hooksDirOf(paths)] satisfies [string, string]]
      : []),
    ...unborn.settings,
    ...guardSettings(transfer.guard),
    ...(transfer.session?.settings ?? []),
  ]);
  const child = spawn('git', ['http-backend'], {
    cwd: view,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...environment,
      ...exportEnvironment(paths),
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
  // A client that disconnects must not leave its git process running.
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
      await transfer.onFinished();
    if (!outgoing.headersSent) outgoing.writeHead(500);
    outgoing.end();
  } finally {
    transfer.signal.removeEventListener('abort', kill);
    incoming.unpipe(child.stdin);
    // Drain the rest of the request, so that the client reads the response.
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
    // No CONTENT_LENGTH: with it, `http-backend` spins forever when the client disconnects before it has sent all bytes.
    ...(header('content-encoding') === 'gzip' ? { HTTP_CONTENT_ENCODING: 'gzip' } : {}),
    // Accept only the form that git sends: the value becomes an environment variable.
    ...(protocol !== undefined && /^version=[012]$/.test(protocol)
      ? { GIT_PROTOCOL: protocol }
      : {}),
  };
}

/** Sends the head, then the body chunk by chunk; reading pauses while the client is slow. */
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
    if (head === 'malformed') throw new Error('git http-backend sent a malformed response');
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
