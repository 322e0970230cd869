import {
  type Diff,
  type FolderEntry,
  fail,
  type MergeMethod,
  type PullRequest,
} from '@ship/protocol';
import { saying } from '@ship/core';
import * as z from 'zod';
import { operatorFetch } from '../../platform/outbound.ts';
import {
  type ForgeAddress,
  type ForgeBindings,
  forgeFor,
  gitAuthorization,
  gitRemote,
  type RepositoryName,
} from './address.ts';
import type { FirstCommit } from '../first-commit.ts';
import { appSlug } from './app/installation-token.ts';
import { createBranch } from './create-branch.ts';
import { readChecks } from './checks.ts';
import { readFile, readFolder, readPaths } from './contents.ts';
import { forgeFailure, httpFailure } from './failures.ts';
import { type Octokit, octokitFor } from './octokit.ts';
import { errorText } from './error-text.ts';
import type {
  Forge,
  ForgeAccount,
  ForgeChecks,
  ForgeRepository,
  ForkAdvice,
  PullRequestInput,
} from './port.ts';
import { PullRequests } from './pull-requests.ts';
import { comparedDiff } from './convert.ts';
import { givenToken, repositoryToken } from './token.ts';

/** The local forge's answer to a folder; an older one does not report the working copy. */
const Registered = z.object({
  owner: z.object({ login: z.string() }),
  name: z.string(),
  working_copy: z
    .object({
      branch: z.string().nullable(),
      detached_at: z.string().nullable(),
      uncommitted: z.number().nullable(),
    })
    .nullish(),
});

type Fetcher = typeof fetch;

/**
 * The forge of a repository. Registers a folder of this machine with the local forge. `movedTo` is the repository's last known
 * name, when it differs from the location.
 */
export async function connectForge(
  location: string,
  bindings: ForgeBindings,
  fetcher: Fetcher = operatorFetch,
  movedTo: string | null = null,
): Promise<Forge> {
  const target = forgeFor(location, bindings);
  const { address } = target;
  if ('repository' in target)
    return new GithubForge(address, target.repository, fetcher, parseFullName(movedTo));
  try {
    const { data } = await octokitFor(address, { fetcher }).request('POST /ship/repositories', {
      path: target.folder,
    });
    const { owner, name, working_copy: found } = Registered.parse(data);
    const forge = new GithubForge(address, { owner: owner.login, name }, fetcher);
    if (found === null || found === undefined) return forge;
    const { branch, detached_at: detachedAt, uncommitted } = found;
    return Object.assign(forge, { workingCopy: { branch, detachedAt, uncommitted } });
  } catch (error) {
    const { status, words = '' } = httpFailure(error) ?? {};
    if (status === 422)
      fail(
        'invalid-input',
        `${target.folder} cannot be used as a repository${saying(words)}`,
        'Give the folder of a complete git repository itself: it must exist, be initialized with `git init`, and not be inside another.',
      );
    throw forgeFailure(error);
  }
}

/** The forge port over Octokit: the same code drives GitHub and the local forge. */
class GithubForge implements Forge {
  readonly kind;
  readonly #requested: RepositoryName;
  #current: RepositoryName;
  readonly #address: ForgeAddress;
  readonly #octokit: Octokit;
  readonly #pulls: PullRequests;
  readonly #fetcher: Fetcher;

  constructor(
    address: ForgeAddress,
    repository: RepositoryName,
    fetcher: Fetcher,
    movedTo?: RepositoryName,
  ) {
    this.kind = address.kind;
    this.#requested = repository;
    this.#current = movedTo ?? repository;
    this.#address = address;
    this.#fetcher = fetcher;
    this.#octokit = octokitFor(address, {
      fetcher,
      ...(address.kind === 'github' && { tokenOf: () => this.#token() }),
    });
    this.#pulls = new PullRequests(this.#octokit, {
      repository: () => this.#current,
      onName: (fullName) => this.#learnName(fullName),
    });
  }

  get owner(): string {
    return this.#current.owner;
  }

  get name(): string {
    return this.#current.name;
  }

  get movedTo(): string | null {
    return isSameName(fullNameOf(this.#current), this.#requested)
      ? null
      : fullNameOf(this.#current);
  }

  #learnName(fullName: string): void {
    if (!isSameName(fullName, this.#current))
      this.#current = parseFullName(fullName) ?? this.#current;
  }

  #token(): Promise<string | null> {
    return repositoryToken(this.#address, this, this.#fetcher);
  }

  get #repo() {
    return { owner: this.owner, repo: this.name };
  }

  repository(): Promise<ForgeRepository> {
    return translated(async () => {
      const { data } = await this.#octokit.rest.repos.get(this.#repo);
      this.#learnName(data.full_name);
      return {
        defaultBranch: data.default_branch,
        isArchived: data.archived,
        canPush: data.permissions?.push ?? false,
        sizeKb: data.size,
      };
    });
  }

  account(): Promise<ForgeAccount> {
    return translated(async () => {
      const { login, id, name, email } = (await this.#whoAmI()).data;
      const host = new URL(this.#address.gitUrl).hostname;
      const isGitHub = this.kind === 'github';
      // ".localhost" is reserved: mail to it goes nowhere.
      const domain = isGitHub ? `users.noreply.${host}` : 'users.noreply.localhost';
      const noReply = `${id}+${login}@${domain}`;
      return { login, name: name || login, email: isGitHub ? noReply : email || noReply };
    });
  }

  /** An App's token belongs to no user; its commits are its bot's. */
  async #whoAmI() {
    const { app } = this.#address;
    if (app === null || (await givenToken(this.#address)) !== null)
      return this.#octokit.rest.users.getAuthenticated();
    const slug = await appSlug(this.#address, app, this.#fetcher);
    return this.#octokit.rest.users.getByUsername({ username: `${slug}[bot]` });
  }

  async mayPush(): Promise<{ isAllowed: boolean; words: string }> {
    const token = await this.#token();
    const url = `${gitRemote(this.#address, this)}/info/refs?service=git-receive-pack`;
    const headers = new Headers(token === null ? {} : { authorization: gitAuthorization(token) });
    try {
      const answer = await this.#fetcher(url, { headers, redirect: 'manual' });
      if (answer.status >= 500 || answer.status === 429)
        throw Object.assign(new Error(), { status: answer.status });
      if (!answer.ok) return { isAllowed: false, words: await errorText(answer) };
      await answer.body?.cancel();
      return { isAllowed: true, words: '' };
    } catch (error) {
      const isLimit = httpFailure(error)?.status === 429;
      throw forgeFailure(
        Object.assign(error instanceof Error ? error : new Error(), {
          status: isLimit ? 429 : 503,
        }),
      );
    }
  }

  async fork(): Promise<ForkAdvice | null> {
    if (this.kind === 'local') return null;
    const page = `${this.#address.gitUrl}/${fullNameOf(this)}`;
    try {
      const { login } = await this.account();
      if (login.toLowerCase() === this.owner.toLowerCase()) return null;
      const at = { owner: login, repo: this.name };
      const { data } = await this.#octokit.rest.repos.get(at);
      const isFork = isSameName(data.parent?.full_name ?? '', this);
      const own = isFork ? `${this.#address.gitUrl}/${data.full_name}` : null;
      return { own, makeAt: `${page}/fork` };
    } catch {
      // It is only advice: the problem itself is reported either way.
      return { own: null, makeAt: `${page}/fork` };
    }
  }

  refSha(ref: string): Promise<string | null> {
    return translated(async () => {
      try {
        const { data } = await this.#octokit.rest.git.getRef({ ...this.#repo, ref });
        return data.object.sha;
      } catch (error) {
        // 409: a repository without any commit.
        if ([404, 409].includes(httpFailure(error)?.status ?? 0)) return null;
        throw error;
      }
    });
  }

  deleteRef(ref: string): Promise<boolean> {
    return translated(async () => {
      try {
        await this.#octokit.rest.git.deleteRef({ ...this.#repo, ref });
        return true;
      } catch (error) {
        const status = httpFailure(error)?.status ?? 0;
        if (![404, 409, 422].includes(status)) throw error;
        // 422 means "does not exist" as well as "must not be deleted".
        return status !== 422 || (await this.refSha(ref)) === null;
      }
    });
  }

  hasRefsBelow(prefix: string): Promise<boolean> {
    return translated(async () => {
      try {
        const ref = `${prefix}/`;
        const { data } = await this.#octokit.rest.git.listMatchingRefs({ ...this.#repo, ref });
        return data.length > 0;
      } catch (error) {
        if ([404, 409].includes(httpFailure(error)?.status ?? 0)) return false;
        throw error;
      }
    });
  }

  createBranch(branch: string, first: FirstCommit): Promise<void> {
    return translated(async () => {
      const token = await this.#token();
      const headers = new Headers(token === null ? {} : { authorization: gitAuthorization(token) });
      const remote = gitRemote(this.#address, this);
      await createBranch({ remote, headers, fetcher: this.#fetcher }, branch, first);
    });
  }

  pullRequest(number: number): Promise<PullRequest> {
    return translated(() => this.#pulls.get(number));
  }

  findPullRequest(branch: string): Promise<PullRequest | null> {
    return translated(() => this.#pulls.find(branch));
  }

  openPullRequest(input: PullRequestInput): Promise<PullRequest> {
    return translated(() => this.#pulls.open(input));
  }

  editPullRequest(number: number, change: { title?: string; body?: string }): Promise<PullRequest> {
    return translated(() => this.#pulls.edit(number, change));
  }

  markReady(number: number): Promise<PullRequest> {
    return translated(() => this.#pulls.markReady(number));
  }

  merge(number: number, method: MergeMethod, headSha: string): Promise<PullRequest> {
    return translated(() => this.#pulls.merge(number, method, headSha));
  }

  close(number: number): Promise<PullRequest> {
    return translated(() => this.#pulls.close(number));
  }

  compare(fromSha: string, toSha: string): Promise<Diff> {
    return translated(async () => {
      const { data } = await this.#octokit.rest.repos.compareCommitsWithBasehead({
        ...this.#repo,
        basehead: `${fromSha}...${toSha}`,
      });
      return comparedDiff(fromSha, toSha, data.files ?? []);
    });
  }

  folder(path: string, sha: string): Promise<FolderEntry[] | undefined> {
    return translated(() => readFolder(this.#octokit, { ...this.#repo, path, ref: sha }));
  }

  paths(sha: string): Promise<string[]> {
    return translated(() => readPaths(this.#octokit, { ...this.#repo, tree_sha: sha }));
  }

  file(path: string, sha: string): Promise<Uint8Array | null | undefined> {
    return translated(() => readFile(this.#octokit, { ...this.#repo, path, ref: sha }));
  }

  checks(sha: string): Promise<ForgeChecks> {
    return translated(() => readChecks(this.#octokit, { ...this.#repo, ref: sha }));
  }
}

function fullNameOf({ owner, name }: RepositoryName): string {
  return `${owner}/${name}`;
}

/** Undefined for an invalid name: it becomes part of addresses. */
function parseFullName(fullName: string | null): RepositoryName | undefined {
  const [, owner, name] =
    /^(?!\.+\/)([\w.-]{1,100})\/(?!\.+$)([\w.-]{1,100})$/.exec(fullName ?? '') ?? [];
  return owner === undefined || name === undefined ? undefined : { owner, name };
}

/** Names are case-insensitive. */
function isSameName(fullName: string, name: RepositoryName): boolean {
  return fullName.toLowerCase() === fullNameOf(name).toLowerCase();
}

async function translated<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw forgeFailure(error);
  }
}
