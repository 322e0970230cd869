import { findSession } from '../client/find-session.ts';
import { type ClientOptions, withServer } from '../client/with-server.ts';
import { follow } from '../progress/follow.ts';
import { type Reporter, createReporter } from '../progress/reporter.ts';

export interface LogsOptions extends ClientOptions {
  follow?: boolean;
}

/** Prints the log as lines; with `--json` one event per line, as the server stores it. */
export async function printLogs(text: string | undefined, options: LogsOptions): Promise<void> {
  await withServer(options, async ({ client }) => {
    const sessionId = await findSession(client, text);
    const ended = new AbortController();
    const end = () => ended.abort();
    process.once('SIGINT', end).once('SIGTERM', end);
    await follow({
      client,
      sessionId,
      reporter: options.json === true ? JSON_LINES : lines(),
      signal: ended.signal,
      // Stops at the end of the log unless --follow is set.
      ...(options.follow === true ? {} : { until: () => true }),
    });
    process.off('SIGINT', end).off('SIGTERM', end);
  });
}

const nothing = () => undefined;
const JSON_LINES: Reporter = {
  ...createReporter(true, process.stdout),
  events: (events) => {
    for (const event of events) process.stdout.write(`${JSON.stringify(event)}\n`);
  },
};

/** Plain lines also in a terminal, without a live block. */
function lines(): Reporter {
  const plain = createReporter(
    false,
    Object.assign(Object.create(process.stdout), { isTTY: false }),
  );
  return { ...plain, connection: nothing };
}
