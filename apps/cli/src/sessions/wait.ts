import type { PromptId, SessionId } from '@ship/protocol';
import type { Server } from '../client/with-server.ts';
import { follow } from '../progress/follow.ts';
import { onInterrupt } from '../progress/interrupt.ts';
import { createReporter } from '../progress/reporter.ts';
import { modelTime } from '../result/model-time.ts';
import { type RunResult, isSettled, resultOf } from '../result/result.ts';

interface WaitOptions {
  server: Server;
  sessionId: SessionId;
  /** Waits for one prompt; for all work when absent. */
  promptId?: PromptId;
  json: boolean;
  startedAtMs: number;
}

/** Watches until the agent is done; undefined when the user left it running. */
export async function waitForSession(options: WaitOptions): Promise<RunResult | undefined> {
  const { server, sessionId, promptId, json, startedAtMs } = options;
  const { client } = server;
  const reporter = createReporter(json, process.stdout);
  const left = new AbortController();
  const ignoreInterrupts = onInterrupt({
    reporter,
    isServerTemporary: server.isTemporary,
    onChoice: (choice) => {
      if (choice === 'leave') left.abort();
      // Rejected when the turn has just ended; the watch sees that.
      if (choice === 'stop') client.stop(sessionId, { clearQueue: true }).catch(() => undefined);
    },
  });
  try {
    const followed = await follow({
      client,
      sessionId,
      reporter,
      signal: left.signal,
      until: (state) => isSettled(state, promptId),
    });
    if (followed === undefined) return undefined;
    const totalMs = Date.now() - startedAtMs;
    // The model time is optional: its failure must not hide the result.
    const modelMs = await client.trace(sessionId).then(modelTime, () => null);
    return resultOf(followed.state, { ...followed.seen, modelMs }, totalMs);
  } finally {
    ignoreInterrupts();
    reporter.close();
  }
}
