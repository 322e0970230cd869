import { EditorTargetShown, EditorView, ErrorBody, ShipFailure } from '@ship/protocol';
import type { EditorTarget, SessionId } from '@ship/protocol';
import { notUnderstood, unreachable } from './error.ts';
import { requestJson } from './request-json.ts';

const path = (sessionId: SessionId, rest: string) => `/api/sessions/${sessionId}/${rest}`;

export const openEditor = (sessionId: SessionId) =>
  requestJson(path(sessionId, 'editor'), EditorView, { method: 'POST' });

export const readEditor = (sessionId: SessionId, signal: AbortSignal | undefined) =>
  requestJson(path(sessionId, 'editor'), EditorView, { signal });

/** Whether an open VS Code showed the line. */
export const showInEditor = async (sessionId: SessionId, body: EditorTarget): Promise<boolean> =>
  (await requestJson(path(sessionId, 'editor/file'), EditorTargetShown, { method: 'POST', body }))
    .isShown;

/** Reads one file of the repository as text; null if it is not text. */
export async function readFileText(
  sessionId: SessionId,
  file: string,
  signal: AbortSignal,
): Promise<string | null> {
  const query = new URLSearchParams({ path: file });
  const response = await fetch(path(sessionId, `files/content?${query.toString()}`), {
    signal,
    cache: 'no-store',
  }).catch((cause: unknown) => {
    throw signal.aborted ? cause : unreachable();
  });
  if (response.ok)
    return response.headers.get('content-type')?.startsWith('text/plain') === true
      ? response.text()
      : null;
  const failure = ErrorBody.safeParse(await response.json().catch(() => undefined));
  throw failure.success ? new ShipFailure(failure.data.error) : notUnderstood(response.status);
}
