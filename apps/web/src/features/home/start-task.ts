import type { SessionId } from '@ship/protocol';
import { loadSessionApi } from '../../api/load.ts';
import { newRequestId } from '../../api/request-id.ts';
import type { NewSession } from '../../api/session.ts';
import type { ChosenFile } from '../attachments/choose.ts';

const maxTitle = 80;

/**
 * Attachments belong to a session, so a task with files creates its session without a prompt and sends the prompt afterwards. If a
 * file is refused, the session is deleted.
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
    // Do not reuse the id: it may belong to a session that was deleted.
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
