import { SessionCreate, SessionReceipt, createId } from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { nameOf } from '../auth/caller.ts';
import { chooseModel } from '../choose-model.ts';
import { fingerprintOf, sendCommand } from '../command.ts';
import { endpoint } from '../endpoint.ts';

const MAX_TITLE = 80;

/** Creates a session from a task. The session id is assigned first, so that a retry finds it. */
export const sessionCreation = (deps: ApiDeps, path: string, summary: string) =>
  endpoint({
    method: 'post',
    path,
    summary,
    body: SessionCreate,
    response: SessionReceipt,
    status: 201,
    async handle({ body, request, caller }) {
      const { requestId, prompt, cardId, draftId, title, isTitleGuessed, ...rest } = body;
      const { workspace, session, warmPool } = deps;
      const fingerprint = fingerprintOf(request, body);
      // From the request or the repository's settings; else the default branch of the folder or forge.
      const known = body.base === null ? await workspace().repositoryAt(body.repository) : null;
      const base = body.base ?? (known && unwrap(known)?.defaultBase) ?? null;
      const question = { repository: body.repository, base: base ?? '', provider: null };
      const [model, kept] = await Promise.all([
        chooseModel(deps, body.model),
        workspace().findSetup(question),
      ]);
      // A kept setup needs its own sandbox and saves more time than the warm pool.
      const isSetUp = unwrap(kept) !== null;
      // A failing warm pool must only cost the head start, never fail the session.
      const prewarmed = isSetUp
        ? null
        : await warmPool()
            .claim({ requestId, draftId })
            .catch(() => null);
      const sessionId = unwrap(await workspace().admitSession(requestId, fingerprint, prewarmed));
      // A retry: the session got its sandbox with the first request.
      if (prewarmed !== null && prewarmed !== sessionId) await warmPool().release(prewarmed);
      // The card first: a refusal because of the concurrency limit must not leave a session behind.
      if (cardId !== null) unwrap(await workspace().startCard(cardId, sessionId));
      const author = nameOf(caller);
      const command = {
        type: 'session.create',
        ...rest,
        base,
        sessionId,
        model,
        title: title ?? titleOf(prompt),
        cardId,
        titledBy: title === null || isTitleGuessed ? 'prompt' : 'person',
        prompt: prompt === null ? null : { promptId: createId('prm'), text: prompt, author },
      } as const;
      const { seq } = await sendCommand(session(sessionId), { request, requestId, body }, command);
      return { sessionId, seq };
    },
  });

function titleOf(prompt: string | null): string {
  const line = prompt
    ?.split('\n')
    .find((text) => text.trim() !== '')
    ?.trim();
  if (line === undefined) return 'New session';
  if (line.length <= MAX_TITLE) return line;
  const kept = line.slice(0, MAX_TITLE - 1).toWellFormed();
  const space = kept.lastIndexOf(' ');
  // Cut at a word: "Plea…" looks like a bug. A title without spaces is cut anywhere.
  const whole = space > MAX_TITLE / 2 ? kept.slice(0, space) : kept;
  return `${whole.replace(/[\s.,;:]+$/, '')}…`;
}
