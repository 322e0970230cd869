import { mergeRefusal, pullRequestRefusal } from '@ship/core';
import { type MergeMethod, type PullRequest, ShipFailure } from '@ship/protocol';
import type { RepositoryName } from './address.ts';
import { forgeFailure, httpFailure, isTransient } from './failures.ts';
import type { Octokit } from './octokit.ts';
import type { PullRequestInput } from './port.ts';
import { type ForgePullRequest, pullRequestOf } from './convert.ts';

const READY = `mutation ($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { id } }
}`;

interface RepositoryRef {
  repository: () => RepositoryName;
  onName: (fullName: string) => void;
}

export class PullRequests {
  readonly #octokit: Octokit;
  readonly #ref: RepositoryRef;

  constructor(octokit: Octokit, ref: RepositoryRef) {
    this.#octokit = octokit;
    this.#ref = ref;
  }

  get #repository() {
    const { owner, name } = this.#ref.repository();
    return { owner, repo: name };
  }

  /** Converts the forge's pull request, and learns the repository's current name from it. */
  #converted(data: ForgePullRequest): PullRequest {
    const fullName = data.base.repo?.full_name;
    if (fullName !== undefined) this.#ref.onName(fullName);
    return pullRequestOf(data);
  }

  async get(number: number): Promise<PullRequest> {
    const { data } = await this.#octokit.rest.pulls.get(this.#of(number));
    return this.#converted(data);
  }

  async find(branch: string): Promise<PullRequest | null> {
    const { data } = await this.#octokit.rest.pulls.list({
      ...this.#repository,
      head: `${this.#repository.owner}:${branch}`,
      state: 'all',
      sort: 'created',
      direction: 'desc',
      per_page: 30,
    });
    // A server that ignores the filter would return other pull requests.
    const own = data.map(pullRequestOf).filter(({ head }) => head === branch);
    return own.find(({ state }) => state === 'open') ?? own[0] ?? null;
  }

  async open(input: PullRequestInput): Promise<PullRequest> {
    try {
      // No lookup before: the forge itself refuses a second one.
      return await this.#create(input, true);
    } catch (error) {
      // It may have been opened although the response was lost, or by another person meanwhile.
      const status = httpFailure(error)?.status;
      if (status !== 422 && !isTransient(error)) throw error;
      const opened = await this.#findOpen(input.branch);
      if (opened !== null) return opened;
      if (status !== 422) throw error;
      return this.#createAnyway(input, error);
    }
  }

  /** Some plans have no drafts: then an ordinary pull request is better than none. */
  async #createAnyway(input: PullRequestInput, refused: unknown): Promise<PullRequest> {
    const refusal = this.#refusal(input, refused);
    if (refusal.isFinal) throw new ShipFailure(refusal.error);
    try {
      return await this.#create(input, false);
    } catch (error) {
      if (httpFailure(error)?.status !== 422) throw error;
      throw new ShipFailure(this.#refusal(input, error).error);
    }
  }

  #refusal({ branch, base }: PullRequestInput, refused: unknown) {
    const { status = 422, fields = [], words = '' } = httpFailure(refused) ?? {};
    return pullRequestRefusal({ status, fields, words, branch, base });
  }

  async #create(
    { branch, base, title, body }: PullRequestInput,
    draft: boolean,
  ): Promise<PullRequest> {
    const { data } = await this.#octokit.rest.pulls.create({
      ...this.#repository,
      head: branch,
      base,
      title,
      body,
      draft,
    });
    return this.#converted(data);
  }

  async #findOpen(branch: string): Promise<PullRequest | null> {
    const found = await this.find(branch);
    return found?.state === 'open' ? found : null;
  }

  async edit(number: number, change: { title?: string; body?: string }): Promise<PullRequest> {
    const { data } = await this.#octokit.rest.pulls.update({ ...this.#of(number), ...change });
    return this.#converted(data);
  }

  async markReady(number: number): Promise<PullRequest> {
    const { data } = await this.#octokit.rest.pulls.get(this.#of(number));
    // REST has no such change.
    if (data.draft === true) await this.#octokit.graphql(READY, { id: data.node_id });
    return this.get(number);
  }

  async merge(number: number, method: MergeMethod, headSha: string): Promise<PullRequest> {
    try {
      await this.#octokit.rest.pulls.merge({
        ...this.#of(number),
        merge_method: method,
        sha: headSha,
      });
    } catch (error) {
      const { status = 0, words = '' } = httpFailure(error) ?? {};
      const { data } = await this.#octokit.rest.pulls.get(this.#of(number));
      const found = pullRequestOf(data);
      // The response was lost, or another person was faster.
      if (found.state === 'merged') return found;
      if (status === 405 || status === 409 || status === 422) {
        const { base, draft: isDraft } = found;
        const state = data.mergeable_state;
        throw new ShipFailure(mergeRefusal({ status, words, number, base, isDraft, state }));
      }
      throw forgeFailure(error);
    }
    return this.get(number);
  }

  async close(number: number): Promise<PullRequest> {
    const { data } = await this.#octokit.rest.pulls.update({
      ...this.#of(number),
      state: 'closed',
    });
    return this.#converted(data);
  }

  #of(number: number) {
    return { ...this.#repository, pull_number: number };
  }
}
