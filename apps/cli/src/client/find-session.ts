import { SessionId, type SessionSummary } from '@ship/protocol';
import type { ShipClient } from '@ship/protocol/client';
import { InvalidArgumentError } from 'commander';
import { Failure } from '../failure.ts';
import { askLine, canAsk } from '../terminal/ask.ts';
import { choiceOf, renderChoices } from './session-choices.ts';

const SEARCHED = 200;
const OFFERED = 9;
const USAGE_EXIT_CODE = 2;

export const SESSION_ID_OR_NEWEST = 'its id, a part of it, or nothing for the newest';
export const SESSION_ID_OR_CHOICE = 'its id or a part of it; without it a terminal asks';

/** Rejects an empty id: an unset variable in a script must not select the newest session. */
export function parseSession(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('The session id is empty. ship ls lists all sessions.');
}

/** Finds a session by its id or a unique part of it; without an id, the most recently created one. */
export async function findSession(
  client: ShipClient,
  text: string | undefined,
): Promise<SessionId> {
  const whole = SessionId.safeParse(text);
  if (whole.success) return whole.data;
  const { sessions } = await client.sessions({ limit: text === undefined ? 1 : SEARCHED });
  if (text === undefined) {
    const newest = sessions[0];
    if (newest !== undefined) return newest.sessionId;
    throw noSession();
  }
  const matching = sessions.filter(({ sessionId }) => sessionId.includes(text));
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only.sessionId;
  throw new Failure(
    matching.length === 0
      ? `no session has "${text}" in its id`
      : `${matching.length} sessions have "${text}" in their ids`,
    'ship ls lists all sessions.',
  );
}

export interface Destructive {
  /** As typed: `pr merge`. */
  verb: string;
  /** Selects the sessions that the verb can act on, for the list in a terminal. */
  accepts: (session: SessionSummary) => boolean;
}

/**
 * Refuses a missing id without a terminal: only a person may choose a session for an irreversible change. Call it before a
 * server starts.
 */
export function requireSessionId(
  text: string | undefined,
  { verb }: Pick<Destructive, 'verb'>,
  isAsked = canAsk(),
): void {
  if (text !== undefined || isAsked) return;
  throw new Failure(
    `ship ${verb} needs the id of a session`,
    `Name it: ship ${verb} SESSION. ship ls lists all sessions.`,
    USAGE_EXIT_CODE,
  );
}

/** For irreversible verbs: without an id, a person at a terminal chooses, and there is no default. */
export async function chooseSession(
  client: ShipClient,
  text: string | undefined,
  { verb, accepts }: Destructive,
): Promise<SessionId> {
  if (text !== undefined) return findSession(client, text);
  requireSessionId(text, { verb });
  const { sessions } = await client.sessions({ limit: SEARCHED });
  const offered = sessions.filter(accepts).slice(0, OFFERED);
  if (offered.length === 0)
    throw sessions.length === 0
      ? noSession()
      : new Failure(`no session can be used with ship ${verb}`, 'ship ls lists all sessions.');
  process.stderr.write(renderChoices(offered, Date.now()));
  const chosen = choiceOf(
    await askLine(`ship ${verb}: which one? [1-${offered.length}, Enter for none] `),
    offered,
  );
  if (chosen !== undefined) return chosen.sessionId;
  throw new Failure('Nothing was done.', `ship ${verb} SESSION names one.`, USAGE_EXIT_CODE);
}

function noSession(): Failure {
  return new Failure('there is no session yet', 'Start one with: ship run "what to do"');
}
