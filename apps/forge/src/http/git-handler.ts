import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Forge, pathsOf } from '../forge.ts';
import { parseGitUrl } from '../git/cgi.ts';
import { Semaphore } from '../git/semaphore.ts';
import { type PushGuard, type Transfer, serveGit } from '../git/smart-http.ts';
import { limits } from '../limits.ts';
import { SESSION_HEADER, borrowedCheckSettings } from '../protection/borrowed.ts';
import { refusals } from '../protection/hooks.ts';
import { prefetchPullFacts } from '../pulls/prefetch.ts';
import { syncRefs } from '../pulls/sync.ts';
import { discover, requireOnDisk } from '../repositories/register.ts';
import type { Actor } from './actor.ts';
import { ApiError } from './errors.ts';

/** Serves git's smart HTTP outside the router: bodies of any size are streamed, never buffered. */
export class GitHandler {
  readonly #forge: Forge;
  readonly #stop: AbortSignal;
  readonly #slots = new Semaphore(limits.transfers);

  constructor(forge: Forge, stop: AbortSignal) {
    this.#forge = forge;
    this.#stop = stop;
  }

  async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      await this.#serve(incoming, outgoing);
    } catch (error) {
      const known = error instanceof ApiError ? error : undefined;
      if (known === undefined)
        this.#forge.log(`git: ${error instanceof Error ? error.stack : String(error)}`);
      if (outgoing.headersSent) outgoing.destroy();
      else refuse(incoming, outgoing, known?.status ?? 500, known?.message ?? 'Internal error');
    }
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const forge = this.#forge;
    const request = parseGitUrl(incoming.method ?? '', incoming.url ?? '');
    const actor = forge.authenticator.identify(incoming.headers.authorization);
    if (request === undefined) throw new ApiError(404, 'Not Found');
    const repository = await discover(forge, request.owner, request.name);
    const renamed =
      repository === undefined
        ? forge.store.repositories.findByFormerName(request.owner, request.name)
        : undefined;
    if (renamed !== undefined && actor.canAccess(`${renamed.owner}/${renamed.name}`)) {
      const query = request.path === '/info/refs' ? `?service=${request.service}` : '';
      const location = `${forge.urls.git}/${renamed.owner}/${renamed.name}.git${request.path}${query}`;
      // An unread body would keep the connection busy.
      outgoing.writeHead(incoming.method === 'GET' ? 301 : 307, { location, connection: 'close' });
      outgoing.end();
      return;
    }
    if (repository === undefined || !actor.canAccess(`${repository.owner}/${repository.name}`))
      throw new ApiError(404, 'Repository not found.');
    requireOnDisk(repository);
    if (request.service === 'git-receive-pack') checkPush(actor, repository.archived === 1);
    await this.#slots.run(() =>
      serveGit(incoming, outgoing, {
        request,
        paths: pathsOf(forge, repository),
        login: actor.user.login,
        guard: guardOf(forge, repository.id),
        session: sessionOf(forge, incoming.headers[SESSION_HEADER]),
        signal: this.#stop,
        onFinished: async () => {
          const queue = forge.queues.of(repository.id);
          const moves = await queue.run(() => syncRefs(forge, repository, actor.user));
          prefetchPullFacts(forge, repository, moves);
        },
      }),
    );
  }
}

function guardOf(forge: Forge, repositoryId: number): PushGuard | undefined {
  const rules = forge.store.protections.of(repositoryId);
  if (rules.size === 0) return undefined;
  return { hooksDir: forge.hooksDir, refusals: refusals(rules) };
}

function sessionOf(forge: Forge, id: string | string[] | undefined): Transfer['session'] {
  if (id === undefined) return undefined;
  // The id becomes part of a shell command: accept nothing but the form of an id.
  if (typeof id !== 'string' || !/^ses_[a-z0-9]{1,40}$/.test(id))
    throw new ApiError(400, 'No such session.');
  return { id, settings: borrowedCheckSettings(forge.hooksDir) };
}

function checkPush(actor: Actor, archived: boolean): void {
  if (!actor.canWrite) throw new ApiError(403, `Permission denied to ${actor.user.login}.`);
  if (archived) throw new ApiError(403, 'This repository was archived so it is read-only.');
}

function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  status: number,
  message: string,
): void {
  const headers: Record<string, string> = { 'content-type': 'text/plain; charset=utf-8' };
  if (status === 401) headers['www-authenticate'] = 'Basic realm="Ship forge"';
  // An unread body would keep the connection busy.
  if (incoming.method === 'POST') headers['connection'] = 'close';
  outgoing.writeHead(status, headers);
  outgoing.end(`${message}\n`);
}
