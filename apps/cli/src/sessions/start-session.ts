import type { SessionCreate } from '@ship/protocol';
import type { Server } from '../client/with-server.ts';
import type { RunResult } from '../result/result.ts';
import { waitForSession } from './wait.ts';

export { finish } from './finish.ts';

export interface StartSessionInput {
  request: Omit<SessionCreate, 'requestId' | 'title' | 'isTitleGuessed' | 'cardId' | 'draftId'> &
    Partial<Pick<SessionCreate, 'title'>>;
  mustWait: boolean;
  json: boolean;
  startedAtMs: number;
}

export async function startSession(
  server: Server,
  { request, mustWait, json, startedAtMs }: StartSessionInput,
): Promise<RunResult | undefined> {
  const { sessionId } = await server.client.createSession(request);
  if (mustWait) return waitForSession({ server, sessionId, json, startedAtMs });
  if (!json) process.stdout.write(`${server.pageUrl}/sessions/${sessionId}\n`);
  return {
    sessionId,
    status: 'working',
    branch: null,
    base: request.base,
    commits: [],
    pullRequest: null,
    leftOut: [],
    cost: { usd: 0, inputTokens: 0, outputTokens: 0 },
    timings: {
      sandboxReadyMs: null,
      cloneMs: null,
      agentReadyMs: null,
      firstTokenMs: null,
      turnMs: null,
      pullRequestMs: null,
      modelMs: null,
      totalMs: Date.now() - startedAtMs,
    },
    verification: null,
    setup: null,
    error: null,
  };
}
