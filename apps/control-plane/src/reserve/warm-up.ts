import type { Place } from '@ship/core';
import { fail } from '@ship/protocol';
import { createWarmFolder, sandboxShell } from '../git/index.ts';
import type { SandboxPort } from '../sandbox/port.ts';
import { agentLaunch } from '../session/workshop/agent-work.ts';
import { REPOSITORY_FOLDER } from '../session/workshop/git-work.ts';
import type { ReserveParts } from './parts.ts';

const TEMPLATE = 'base';
/** Only for the time in which it is made: it waits frozen, and that has no end. */
const MAKING_TIMEOUT_MS = 10 * 60_000;
/** The first loads what a prompt needs, and takes a second; the next takes a tenth, and has its code compiled. */
const REHEARSALS = 3;

/**
 * Makes the sandbox of a session that does not exist yet, with its agent listening and rehearsed. May be called again
 * after a crash: what is there is found by the session's id. Nothing of any other session is ever in it, and its token is
 * good for that one session alone, which the gateways refuse until it exists.
 */
export async function warmUp(
  { sandboxes, settings, agent: parts }: ReserveParts,
  { sessionId, model, provider }: Place,
): Promise<{ port: SandboxPort; sandboxId: string }> {
  if (parts === undefined)
    return fail('not-configured', 'There is no agent here.', 'Set GATEWAY_SECRET.');
  const port = sandboxes(provider);
  const [found] = await port.findAll(sessionId);
  if (found !== undefined) await port.wake(found, MAKING_TIMEOUT_MS);
  const sandboxId =
    found ??
    (await port.create({
      sessionId,
      template: TEMPLATE,
      timeoutMs: MAKING_TIMEOUT_MS,
      env: {},
      // As they are now: its session sets them anew before anything of the repository runs.
      egress: (await settings()).egress.allow,
    }));
  const { launch } = await agentLaunch({ sessionId, sandboxId, model, repository: null }, parts);
  const start = (isFresh: boolean) =>
    parts.launcher(port).launch({ ...launch, sandboxId, restore: null, isFresh });
  const [agent] = await Promise.all([
    start(false),
    createWarmFolder(sandboxShell(port, sandboxId), REPOSITORY_FOLDER),
  ]);
  for (let rehearsal = 0; rehearsal < REHEARSALS; rehearsal++) {
    if (await agent.prewarm(model)) continue;
    // What was broken off while it got ready stays broken in that process: every prompt after it would fail.
    await start(true);
    break;
  }
  return { port, sandboxId };
}
