import type * as z from 'zod';
import type { AttachmentRef } from '../attachment.ts';
import { Diff, type DiffQuery } from '../http/diff.ts';
import { FoundFiles } from '../http/file-search.ts';
import { DraftView } from '../http/draft.ts';
import { Health } from '../http/health.ts';
import { ModelList } from '../http/models.ts';
import {
  type PullRequestEdit,
  type PullRequestMerge,
  PullRequestView,
  BaseUpdate,
} from '../http/pull-request.ts';
import {
  Repository,
  type RepositoryCreate,
  type RepositoryEdit,
  RepositoryList,
} from '../http/repository.ts';
import {
  HistoryPage,
  type HistoryQuery,
  PromptReceipt,
  SandboxView,
  type SessionCreate,
  SessionReceipt,
  SessionView,
  Trace,
} from '../http/session.ts';
import { SessionPage } from '../http/session-summary.ts';
import { Settings, type SettingsPatch } from '../http/settings.ts';
import { KeptSetupList, KeptSetupView, type SetupName } from '../http/setups.ts';
import { SignInLink } from '../http/sign-in.ts';
import { Stats } from '../http/stats.ts';
import { ApiToken, TokenCreated, TokenList } from '../http/token.ts';
import type { DraftId, PromptId, RepositoryId, SessionId, TokenId } from '../ids.ts';
import type { Command, SessionListQuery, Signal } from './call-options.ts';
import { EnvironmentCalls } from './environment-calls.ts';
import { HttpClient, type HttpOptions, type HttpRequest } from './http.ts';
import { SessionWatch, type SessionWatchOptions } from './session-watch.ts';

/** The API as typed calls. Commands contain a request id as idempotency key and are retried. */
export class ShipClient {
  readonly http: HttpClient;
  readonly environment: EnvironmentCalls;

  constructor(options: HttpOptions) {
    this.http = new HttpClient(options);
    this.environment = new EnvironmentCalls(this.http);
  }

  health(options: Signal = {}) {
    return this.#get('/health', Health, options);
  }

  stats(options: Signal = {}) {
    return this.#get('/stats', Stats, options);
  }

  settings(options: Signal = {}) {
    return this.#get('/settings', Settings, options);
  }

  changeSettings(body: SettingsPatch, options: Signal = {}) {
    return this.http.call({
      method: 'PATCH',
      path: '/settings',
      body,
      answer: Settings,
      ...options,
    });
  }

  models(options: Signal = {}) {
    return this.#get('/models', ModelList, options);
  }

  /** Creates a link that signs a browser in as this client. Not retried: each call creates another code. */
  signInLink(options: Signal = {}) {
    return this.http.call({
      method: 'POST',
      path: '/sign-in/links',
      answer: SignInLink,
      ...options,
    });
  }

  tokens(options: Signal = {}) {
    return this.#get('/tokens', TokenList, options);
  }

  /** Not retried: each call creates another token. */
  createToken(name: string, options: Signal = {}) {
    const body = { name };
    return this.http.call({
      method: 'POST',
      path: '/tokens',
      body,
      answer: TokenCreated,
      ...options,
    });
  }

  revokeToken(tokenId: TokenId, options: Signal = {}) {
    const path = `/tokens/${tokenId}`;
    return this.http.call({ method: 'DELETE', path, answer: ApiToken, ...options });
  }

  setups(options: Signal = {}) {
    return this.#get('/setups', KeptSetupList, options);
  }

  removeSetup(name: SetupName, options: Signal = {}) {
    return this.http.call({
      method: 'DELETE',
      path: `/setups/${name}`,
      answer: KeptSetupView,
      ...options,
    });
  }

  repositories(options: Signal = {}) {
    return this.#get('/repositories', RepositoryList, options);
  }

  addRepository(body: z.input<typeof RepositoryCreate>, options: Signal = {}) {
    return this.http.call({
      method: 'POST',
      path: '/repositories',
      body,
      answer: Repository,
      ...options,
    });
  }

  removeRepository(repositoryId: RepositoryId, options: Signal = {}) {
    const path = `/repositories/${repositoryId}`;
    return this.http.call({ method: 'DELETE', path, answer: null, ...options });
  }

  editRepository(repositoryId: RepositoryId, body: RepositoryEdit, options: Signal = {}) {
    const path = `/repositories/${repositoryId}`;
    return this.http.call({ method: 'PATCH', path, body, answer: Repository, ...options });
  }

  sessions(query: SessionListQuery = {}, options: Signal = {}) {
    const { status, column, ...rest } = query;
    const lists = { status: status?.join(','), column: column?.join(',') };
    return this.#get('/sessions', SessionPage, options, { ...rest, ...lists });
  }

  createSession(body: Omit<z.input<typeof SessionCreate>, 'requestId'>, options: Command = {}) {
    return this.#command('POST', '/sessions', body, SessionReceipt, options);
  }

  session(sessionId: SessionId, options: Signal = {}) {
    return this.#get(`/sessions/${sessionId}`, SessionView, options);
  }

  history(sessionId: SessionId, query: Partial<HistoryQuery> = {}, options: Signal = {}) {
    return this.#get(`/sessions/${sessionId}/history`, HistoryPage, options, query);
  }

  trace(sessionId: SessionId, options: Signal = {}) {
    return this.#get(`/sessions/${sessionId}/trace`, Trace, options);
  }

  sandbox(sessionId: SessionId, options: Signal = {}) {
    return this.#get(`/sessions/${sessionId}/sandbox`, SandboxView, options);
  }

  /** Idempotent: a repeated call changes nothing. */
  changeSandbox(
    sessionId: SessionId,
    to: 'pause' | 'resume' | 'kill' | 'network',
    options: Signal = {},
  ) {
    const path = `/sessions/${sessionId}/sandbox/${to}`;
    return this.http.call({
      method: 'POST',
      path,
      answer: SandboxView,
      isRepeatable: true,
      ...options,
    });
  }

  renameSession(sessionId: SessionId, title: string, options: Command = {}) {
    return this.#command('PATCH', `/sessions/${sessionId}`, { title }, SessionReceipt, options);
  }

  /** Null uses the settings' budget. A higher budget continues a turn that was paused by the budget. */
  setBudget(sessionId: SessionId, budgetUsd: number | null, options: Command = {}) {
    return this.#command('PATCH', `/sessions/${sessionId}`, { budgetUsd }, SessionReceipt, options);
  }

  /** Prewarms an agent while a person types a task. A repeated call keeps it. */
  warmDraft(draftId: DraftId, options: Signal = {}) {
    const body = { draftId };
    const path = '/drafts';
    return this.http.call({
      method: 'POST',
      path,
      body,
      answer: DraftView,
      isRepeatable: true,
      ...options,
    });
  }

  deleteSession(sessionId: SessionId, options: Signal = {}) {
    return this.http.call({
      method: 'DELETE',
      path: `/sessions/${sessionId}`,
      answer: null,
      ...options,
    });
  }

  closeSession(sessionId: SessionId, options: Command = {}) {
    return this.#command('POST', `/sessions/${sessionId}/close`, {}, SessionReceipt, options);
  }

  prompt(
    sessionId: SessionId,
    text: string,
    { attachments = [], ...options }: Command & { attachments?: readonly AttachmentRef[] } = {},
  ) {
    return this.#command(
      'POST',
      `/sessions/${sessionId}/prompts`,
      { text, attachments },
      PromptReceipt,
      options,
    );
  }

  editPrompt(
    sessionId: SessionId,
    promptId: PromptId,
    change: { text?: string; after?: PromptId | null },
    options: Command = {},
  ) {
    const path = `/sessions/${sessionId}/prompts/${promptId}`;
    return this.#command('PATCH', path, change, PromptReceipt, options);
  }

  withdrawPrompt(sessionId: SessionId, promptId: PromptId, options: Command = {}) {
    const { requestId = crypto.randomUUID(), signal } = options;
    const path = `/sessions/${sessionId}/prompts/${promptId}`;
    const query = { requestId };
    return this.http.call({ method: 'DELETE', path, query, answer: PromptReceipt, signal });
  }

  stop(sessionId: SessionId, options: Command & { clearQueue?: boolean } = {}) {
    const { clearQueue = false, ...rest } = options;
    return this.#command(
      'POST',
      `/sessions/${sessionId}/stop`,
      { clearQueue },
      SessionReceipt,
      rest,
    );
  }

  retry(sessionId: SessionId, options: Command = {}) {
    return this.#command('POST', `/sessions/${sessionId}/retry`, {}, SessionReceipt, options);
  }

  setModel(sessionId: SessionId, model: string, options: Command = {}) {
    return this.#command('PUT', `/sessions/${sessionId}/model`, { model }, SessionReceipt, options);
  }

  diff(sessionId: SessionId, query: DiffQuery = {}, options: Signal = {}) {
    return this.#get(`/sessions/${sessionId}/diff`, Diff, options, query);
  }

  searchFiles(sessionId: SessionId, q: string, options: Signal = {}) {
    return this.#get(`/sessions/${sessionId}/files/search`, FoundFiles, options, { q });
  }

  pullRequest(sessionId: SessionId, options: Signal = {}) {
    return this.#get(`/sessions/${sessionId}/pull-request`, PullRequestView, options);
  }

  /** Sets a person's title and text, which later turns keep. */
  editPullRequest(
    sessionId: SessionId,
    body: Omit<z.input<typeof PullRequestEdit>, 'requestId'>,
    options: Command = {},
  ) {
    return this.#command(
      'PATCH',
      `/sessions/${sessionId}/pull-request`,
      body,
      PullRequestView,
      options,
    );
  }

  /** The changes that a merge would apply; pass `toSha` to `merge`. */
  pullRequestDiff(sessionId: SessionId, options: Signal = {}) {
    return this.#get(`/sessions/${sessionId}/pull-request/diff`, Diff, options);
  }

  /** Idempotent, like `merge`: a repeated call changes nothing. */
  markReady(sessionId: SessionId, options: Command = {}) {
    const path = `/sessions/${sessionId}/pull-request/ready`;
    return this.#command('POST', path, {}, PullRequestView, options);
  }

  /** `headSha` is the reviewed commit: later commits are not merged unseen. */
  merge(
    sessionId: SessionId,
    body: Omit<z.input<typeof PullRequestMerge>, 'requestId'>,
    options: Command = {},
  ) {
    const path = `/sessions/${sessionId}/pull-request/merge`;
    return this.#command('POST', path, body, PullRequestView, options);
  }

  /** Merges the newer commits of the base into the branch. */
  updateFromBase(sessionId: SessionId, options: Command = {}) {
    const path = `/sessions/${sessionId}/update-from-base`;
    return this.#command('POST', path, {}, BaseUpdate, options);
  }

  /** Subscribes to a session from its start or from `after`; call `start()` on the result. */
  watch(sessionId: SessionId, options: Omit<SessionWatchOptions, 'http' | 'sessionId'>) {
    return new SessionWatch({ ...options, http: this.http, sessionId });
  }

  #get<Answer extends z.ZodType>(
    path: string,
    answer: Answer,
    { signal }: Signal,
    query: NonNullable<HttpRequest<Answer>['query']> = {},
  ) {
    return this.http.call({ method: 'GET', path, query, answer, signal });
  }

  /** The request id is the idempotency key: the server returns the first receipt for a repeated command. */
  #command<Answer extends z.ZodType>(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: object,
    answer: Answer,
    { requestId = crypto.randomUUID(), signal }: Command,
  ) {
    return this.http.call({
      method,
      path,
      body: { ...body, requestId },
      answer,
      signal,
      isRepeatable: true,
    });
  }
}
