import { signInUrl } from '@ship/protocol/sign-in-link';
import { findSession } from '../client/find-session.ts';
import { type ClientOptions, withRunningServer, withServer } from '../client/with-server.ts';
import { openInBrowser } from '../host/open-browser.ts';
import { finish } from './finish.ts';
import { waitForSession } from './wait.ts';

export interface PromptOptions extends ClientOptions {
  wait?: boolean;
  allowFailingTests?: boolean;
}

/** `ship prompt`: queues another prompt for a session. */
export async function sendPrompt(
  session: string,
  text: string,
  options: PromptOptions,
): Promise<void> {
  const startedAtMs = Date.now();
  const json = options.json ?? false;
  await withServer(options, async (server) => {
    const sessionId = await findSession(server.client, session);
    const receipt = await server.client.prompt(sessionId, text);
    if (options.wait === true || server.isTemporary) {
      const { promptId } = receipt;
      const waiting = waitForSession({ server, sessionId, promptId, json, startedAtMs });
      finish(await waiting, json, server, options);
    } else {
      process.stdout.write(json ? `${JSON.stringify(receipt)}\n` : `queued ${receipt.promptId}\n`);
    }
  });
}

/** `ship open`: opens the session or the start page with a link that signs the browser in. */
export async function openPage(session: string | undefined, options: ClientOptions): Promise<void> {
  const url = await withRunningServer(options, async ({ client, pageUrl }) => {
    const path = session === undefined ? '/' : `/sessions/${await findSession(client, session)}`;
    const { code } = await client.signInLink();
    return signInUrl(`${pageUrl}${path}`, code);
  });
  process.stdout.write(options.json === true ? `${JSON.stringify({ url })}\n` : `${url}\n`);
  if (options.json !== true) await openInBrowser(url);
}
