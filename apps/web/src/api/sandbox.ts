import {
  ContactList,
  ErrorBody,
  SandboxFile,
  SandboxListing,
  SandboxView,
  ShipFailure,
  TerminalList,
} from '@ship/protocol';
import type { SessionId } from '@ship/protocol';
import { notUnderstood, unreachable } from './error.ts';
import { noContent, requestJson } from './request-json.ts';

type Signal = AbortSignal | undefined;

/** The first request may have to resume a sandbox. */
const timeoutMs = 45_000;

const within = (sessionId: SessionId, rest: string) => `/api/sessions/${sessionId}${rest}`;
const filesPath = (sessionId: SessionId, part: string, path?: string) =>
  within(
    sessionId,
    `/sandbox/files${part}${path === undefined ? '' : `?path=${encodeURIComponent(path)}`}`,
  );

export const listTerminals = (sessionId: SessionId, signal: Signal) =>
  requestJson(within(sessionId, '/terminals'), TerminalList, { signal, timeoutMs });

export const listContacts = (sessionId: SessionId, signal: Signal) =>
  requestJson(within(sessionId, '/sandbox/contacts'), ContactList, { signal });

/** Applies network settings at once instead of from the next turn. */
export const applyNetwork = (sessionId: SessionId) =>
  requestJson(within(sessionId, '/sandbox/network'), SandboxView, { method: 'POST' });

export const endTerminal = (sessionId: SessionId, name: string) =>
  requestJson(within(sessionId, `/terminals/${name}`), noContent, { method: 'DELETE' });

/** Without a path it lists the working folder. */
export const listSandboxFolder = (sessionId: SessionId, path: string | undefined, signal: Signal) =>
  requestJson(filesPath(sessionId, '', path), SandboxListing, { signal, timeoutMs });

export const sandboxFileAddress = (sessionId: SessionId, path: string) =>
  filesPath(sessionId, '/content', path);

/** Reads the first `maxBytes` of a file. */
export async function readSandboxFile(
  sessionId: SessionId,
  path: string,
  maxBytes: number,
  signal: Signal,
): Promise<Blob> {
  const response = await fetch(sandboxFileAddress(sessionId, path), {
    headers: { range: `bytes=0-${maxBytes - 1}` },
    cache: 'no-store',
    signal: signal ?? null,
  }).catch((cause: unknown) => {
    throw signal?.aborted === true ? cause : unreachable();
  });
  if (response.ok) return response.blob();
  // No range is satisfiable in an empty file.
  if (response.status === 416) return new Blob([]);
  throw await failureOf(response);
}

/** No timeout: a large file on a slow connection is not a failure. */
export async function writeSandboxFile(sessionId: SessionId, path: string, file: Blob) {
  const response = await fetch(sandboxFileAddress(sessionId, path), {
    method: 'PUT',
    body: file,
  }).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await failureOf(response);
  return SandboxFile.parse(await response.json());
}

export const makeSandboxFolder = (sessionId: SessionId, path: string) =>
  requestJson(filesPath(sessionId, '/folders'), noContent, { method: 'POST', body: { path } });

export const moveSandboxFile = (sessionId: SessionId, from: string, to: string) =>
  requestJson(filesPath(sessionId, '/moves'), noContent, { method: 'POST', body: { from, to } });

export const removeSandboxFile = (sessionId: SessionId, path: string) =>
  requestJson(filesPath(sessionId, '', path), noContent, { method: 'DELETE' });

async function failureOf(response: Response): Promise<ShipFailure> {
  const body: unknown = await response.json().catch(() => undefined);
  const failure = ErrorBody.safeParse(body);
  return failure.success ? new ShipFailure(failure.data.error) : notUnderstood(response.status);
}
