import {
  Attachment,
  BaseUpdate,
  Diff,
  FoundFiles,
  DraftView,
  HistoryPage,
  PromptReceipt,
  PullRequestView,
  SandboxView,
  SessionReceipt,
  SessionView,
  Trace,
  createId,
} from '@ship/protocol';
import type {
  AgentMode,
  AttachmentRef,
  Card,
  MergeMethod,
  ModelRef,
  PromptId,
  SessionCreate,
  SessionId,
} from '@ship/protocol';
import { newRequestId } from './request-id.ts';
import { noContent, requestJson } from './request-json.ts';

type Signal = AbortSignal | undefined;
export type NewSession = Pick<SessionCreate, 'requestId' | 'repository'> & Partial<SessionCreate>;

const path = (sessionId: SessionId, rest = '') => `/api/sessions/${sessionId}${rest}`;

export const createSession = (body: NewSession) =>
  requestJson('/api/sessions', SessionReceipt, { method: 'POST', body });

/** Keep `requestId` for a second click: the server then starts only one demo. */
export const startDemo = (requestId: string) =>
  requestJson('/api/demo', SessionReceipt, { method: 'POST', body: { requestId } });

/** Derives the request id from the card id: a second click cannot start the task twice. */
export const startCard = ({ cardId, draft }: Card & { kind: 'draft' }) =>
  createSession({
    // The schema sets the brand; a card id fits its pattern.
    requestId: `start-${cardId}` as NewSession['requestId'],
    repository: draft.repository ?? '',
    prompt: draft.text === '' ? draft.title : `${draft.title}\n\n${draft.text}`,
    title: draft.title,
    base: draft.base,
    model: draft.model,
    source: 'board',
    cardId,
  });

export const readSession = (sessionId: SessionId, signal: Signal) =>
  requestJson(path(sessionId), SessionView, { signal });

export const readHistory = (
  sessionId: SessionId,
  range: { readonly before?: number; readonly after?: number; readonly limit: number },
  signal: Signal,
) => {
  const query = Object.entries(range).map(([key, value]) => `${key}=${value}`);
  return requestJson(path(sessionId, `/history?${query.join('&')}`), HistoryPage, { signal });
};

export const readTrace = (sessionId: SessionId, signal: Signal) =>
  requestJson(path(sessionId, '/trace'), Trace, { signal });

/**
 * The server calls the forge or a sandbox for these and waits up to 30 s for each answer. With a shorter timeout here, a slow read
 * would be aborted on every retry and never succeed.
 */
const slowRead = { timeoutMs: 60_000 };

export const readDiff = (sessionId: SessionId, signal: Signal) =>
  requestJson(path(sessionId, '/diff'), Diff, { signal, ...slowRead });

export const renameSession = (sessionId: SessionId, title: string) =>
  requestJson(path(sessionId), SessionReceipt, {
    method: 'PATCH',
    body: { requestId: newRequestId(), title },
  });

export const changeBudget = (sessionId: SessionId, budgetUsd: number) =>
  requestJson(path(sessionId), SessionReceipt, {
    method: 'PATCH',
    body: { requestId: newRequestId(), budgetUsd },
  });

export const prewarmDraft = () =>
  requestJson('/api/drafts', DraftView, { method: 'POST', body: { draftId: createId('drf') } });

export const removeSession = (sessionId: SessionId) =>
  requestJson(path(sessionId, `?requestId=${newRequestId()}`), noContent, { method: 'DELETE' });

export const sendPrompt = (
  sessionId: SessionId,
  text: string,
  attachments: readonly AttachmentRef[],
) =>
  requestJson(path(sessionId, '/prompts'), PromptReceipt, {
    method: 'POST',
    body: { requestId: newRequestId(), text, attachments },
  });

/** Stores a file that a later prompt attaches. */
export const attach = (sessionId: SessionId, filename: string, file: Blob) =>
  requestJson(
    path(sessionId, `/attachments?filename=${encodeURIComponent(filename)}`),
    Attachment,
    { method: 'POST', file },
  );

export const searchFiles = (sessionId: SessionId, q: string, signal: Signal) =>
  requestJson(path(sessionId, `/files/search?q=${encodeURIComponent(q)}`), FoundFiles, { signal });

export const changeMode = (sessionId: SessionId, mode: AgentMode) =>
  requestJson(path(sessionId, '/mode'), noContent, {
    method: 'PUT',
    body: { requestId: newRequestId(), mode },
  });

export const editPrompt = (
  sessionId: SessionId,
  promptId: PromptId,
  change: { readonly text?: string; readonly after?: PromptId | null },
) =>
  requestJson(path(sessionId, `/prompts/${promptId}`), noContent, {
    method: 'PATCH',
    body: { requestId: newRequestId(), ...change },
  });

export const withdrawPrompt = (sessionId: SessionId, promptId: PromptId) =>
  requestJson(path(sessionId, `/prompts/${promptId}?requestId=${newRequestId()}`), noContent, {
    method: 'DELETE',
  });

const command = (sessionId: SessionId, verb: string) =>
  requestJson(path(sessionId, `/${verb}`), noContent, {
    method: 'POST',
    body: { requestId: newRequestId() },
  });
export const stopTurn = (sessionId: SessionId) => command(sessionId, 'stop');
export const retryTurn = (sessionId: SessionId) => command(sessionId, 'retry');

export const chooseModel = (sessionId: SessionId, model: ModelRef) =>
  requestJson(path(sessionId, '/model'), noContent, {
    method: 'PUT',
    body: { requestId: newRequestId(), model },
  });

export const changeSandbox = (sessionId: SessionId, verb: 'pause' | 'resume' | 'kill') =>
  requestJson(path(sessionId, `/sandbox/${verb}`), SandboxView, {
    method: 'POST',
    body: { requestId: newRequestId() },
  });

/** With `answers` null the agent decides. */
export const answerQuestion = (
  sessionId: SessionId,
  askId: string,
  answers: readonly (readonly string[])[] | null,
) =>
  requestJson(path(sessionId, `/questions/${encodeURIComponent(askId)}`), noContent, {
    method: 'POST',
    body: { requestId: newRequestId(), answers },
  });

export const answerPermission = (
  sessionId: SessionId,
  askId: string,
  reply: 'once' | 'always' | 'reject',
) =>
  requestJson(path(sessionId, `/permissions/${encodeURIComponent(askId)}`), noContent, {
    method: 'POST',
    body: { requestId: newRequestId(), reply, message: null },
  });

export const decidePlan = (
  sessionId: SessionId,
  planId: string,
  decision: 'approve' | 'edit' | 'reject',
  text: string | null,
) =>
  requestJson(path(sessionId, `/plans/${encodeURIComponent(planId)}`), noContent, {
    method: 'POST',
    body: { requestId: newRequestId(), decision, text },
  });

export const readPullRequest = (sessionId: SessionId, signal: Signal) =>
  requestJson(path(sessionId, '/pull-request'), PullRequestView, { signal, ...slowRead });

/** The changes that a merge would apply. */
export const readPullRequestDiff = (sessionId: SessionId, signal: Signal) =>
  requestJson(path(sessionId, '/pull-request/diff'), Diff, { signal, ...slowRead });

const changePullRequest = (sessionId: SessionId, verb: 'ready' | 'close') =>
  requestJson(path(sessionId, `/pull-request/${verb}`), PullRequestView, {
    method: 'POST',
    body: { requestId: newRequestId() },
  });
export const markReady = (sessionId: SessionId) => changePullRequest(sessionId, 'ready');
export const closePullRequest = (sessionId: SessionId) => changePullRequest(sessionId, 'close');

/** `headSha` is the commit that the person reviewed: the server refuses to merge newer commits unseen. */
export const mergePullRequest = (sessionId: SessionId, method: MergeMethod, headSha: string) =>
  requestJson(path(sessionId, '/pull-request/merge'), PullRequestView, {
    method: 'POST',
    body: { requestId: newRequestId(), method, headSha },
  });

export const updateFromBase = (sessionId: SessionId) =>
  requestJson(path(sessionId, '/update-from-base'), BaseUpdate, {
    method: 'POST',
    body: { requestId: newRequestId() },
  });
