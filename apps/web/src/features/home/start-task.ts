import type { SessionId } from '@ship/protocol';
import { loadSessionApi } from '../../api/load.ts';
import { newRequestId } from '../../api/request-id.ts';
import type { NewSession } from '../../api/session.ts';
import type { ChosenFile } from '../attachments/choose.ts';

const maxTitle = 80;

/**
 * Files are stored with a session: one that brings some is made without a prompt, and gets it with them. If one of them is
 * refused, no session is left behind.
 */
export async function startTask(
  task: NewSession,
  files: readonly ChosenFile[],
): Promise<SessionId> {
  const api = await loadSessionApi();
  const { prompt } = task;
  if (files.length === 0 || prompt === null || prompt === undefined)
    return (await api.createSession(task)).sessionId;
  const { sessionId } = await api.createSession({
    ...task,
    // The one before may have been a session that is gone.
    requestId: newRequestId(),
    prompt: null,
    title: titleOf(prompt),
    isTitleGuessed: true,
  });
  try {
    const stored = await Promise.all(
      files.map(({ filename, file }) => api.attach(sessionId, filename, file)),
    );
    await api.sendPrompt(
      sessionId,
      prompt,
      stored.map(({ name, filename }) => ({ name, filename })),
    );
    return sessionId;
  } catch (cause) {
    await api.removeSession(sessionId).catch(() => undefined);
    throw cause;
  }
}

function titleOf(prompt: string): string {
  const [line = ''] = prompt.trim().split('\n');
  return line.length <= maxTitle ? line : `${line.slice(0, maxTitle - 1).toWellFormed()}…`;
}
