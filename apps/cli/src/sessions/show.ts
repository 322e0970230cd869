import type { SessionView } from '@ship/protocol';
import { findSession } from '../client/find-session.ts';
import { type ClientOptions, lastingUrl, withServer } from '../client/with-server.ts';
import { duration, oneLine } from '../progress/text.ts';
import { NO_LOG_FACTS, resultOf } from '../result/result.ts';
import { describeResult } from './finish.ts';

export async function showSession(text: string | undefined, options: ClientOptions): Promise<void> {
  const { view, pageUrl } = await withServer(options, async (server) => ({
    view: await server.client.session(await findSession(server.client, text)),
    pageUrl: lastingUrl(server),
  }));
  process.stdout.write(
    options.json === true ? `${JSON.stringify(view)}\n` : renderSession(view, pageUrl),
  );
}

function renderSession({ summary, state }: SessionView, pageUrl: string | null): string {
  const { title, status, statusDetail, needsYou, model, repository, createdAt, updatedAt } =
    summary;
  const result = resultOf(state, NO_LOG_FACTS, Math.max(0, updatedAt - createdAt));
  const details = describeResult(result, pageUrl).slice(1);
  return [
    oneLine(title, 120),
    `  id            ${summary.sessionId}`,
    `  status        ${status}${needsYou === null ? '' : ` (needs you: ${needsYou})`}${statusDetail === null ? '' : ` – ${oneLine(statusDetail, 200)}`}`,
    `  repository    ${repository}`,
    `  model         ${model}`,
    `  sandbox       ${state.sandbox.status}`,
    ...state.stages.map(
      ({ stage, durationMs, error }) =>
        `  ${stage.padEnd(13)} ${error === null ? duration(durationMs) : `failed: ${oneLine(error.message, 160)}`}`,
    ),
    ...details,
    ...state.queue.map(({ text }) => `  waiting       ${oneLine(text, 100)}`),
    '',
  ].join('\n');
}
