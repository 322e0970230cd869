import { SessionId } from '@ship/protocol';
import type { ShipClient } from '@ship/protocol/client';
import { Failure } from '../failure.ts';

const SEARCHED = 200;

/** The session that the user means: by its id, by any part of it that only one has, or the newest. */
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
    throw new Failure('there is no session yet', 'Start one with: ship run "what to do"');
  }
  const matching = sessions.filter(({ sessionId }) => sessionId.includes(text));
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only.sessionId;
  throw new Failure(
    matching.length === 0
      ? `no session has "${text}" in its id`
      : `${matching.length} sessions have "${text}" in their ids`,
    'ship ls shows what there is.',
  );
}
