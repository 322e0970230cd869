import { SessionCreate, SessionReceipt, createId } from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { nameOf } from '../auth/caller.ts';
import { chooseModel } from '../choose-model.ts';
import { fingerprintOf, sendCommand } from '../command.ts';
import { endpoint } from '../endpoint.ts';

const MAX_TITLE = 80;

/** Where a task comes in. The id of the session is chosen before anything else, so that a repetition finds it. */
export const sessionCreation = (parts: ApiDeps, path: string, summary: string) =>
  endpoint({
    method: 'post',
    path,
    summary,
    body: SessionCreate,
    response: SessionReceipt,
    status: 201,
    async handle({ body, request, caller }) {
      const { requestId, prompt, cardId, draftId, title, isTitleGuessed, ...rest } = body;
      const { workspace, session, warmPool } = parts;
      const fingerprint = fingerprintOf(request, body);
      // ErrorPage for this session, or for the repository; else it is the folder's or the forge's own branch.
      const known = body.base === null ? await workspace().repositoryAt(body.repository) : null;
      const base = body.base ?? (known && unwrap(known)?.defaultBase) ?? null;
      const spot = { repository: body.repository, base: base ?? '', provider: null };
      const [model, kept] = await Promise.all([
        chooseModel(parts, body.model),
        workspace().findSetup(spot),
      ]);
      // A kept setup saves more than an agent that waits, in a sandbox of its own.
      const isSetUp = unwrap(kept) !== null;
      // A reserve that does not answer costs the session its head start, not its life.
      const waiting = isSetUp
        ? null
        : await warmPool()
            .claim({ requestId, draftId })
            .catch(() => null);
      const sessionId = unwrap(await workspace().admitSession(requestId, fingerprint, waiting));
      // A repetition: the session has its sandbox since the first time.
      if (waiting !== null && waiting !== sessionId) await warmPool().release(waiting);
      // The card first: a refusal because too many are at work must not leave a session behind.
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
  // "Plea…" reads like a fault; a title without a space has nowhere else to end.
  const whole = space > MAX_TITLE / 2 ? kept.slice(0, space) : kept;
  return `${whole.replace(/[\s.,;:]+$/, '')}…`;
}
