import type { PooledSandbox } from '@ship/core';
import { fail } from '@ship/protocol';
import { createWarmFolder, sandboxShell } from '../git/index.ts';
import type { SandboxPort } from '../sandbox/port.ts';
import { agentLaunch } from '../session/workshop/agent-work.ts';
import { REPOSITORY_FOLDER } from '../session/workshop/git-work.ts';
import type { WarmPoolDeps } from './deps.ts';

const TEMPLATE = 'base';
/** Applies while the sandbox is made; frozen in the pool it has no timeout. */
const MAKING_TIMEOUT_MS = 10 * 60_000;
/** The first dry run loads what a prompt needs and takes a second; the next takes a tenth, with its code compiled. */
const DRY_RUNS = 3;

/**
 * Prewarms the sandbox of a session that does not exist yet: its agent listens and has done dry runs. Idempotent after a
 * crash: an existing sandbox is found by the session id. The sandbox never holds anything of another session, and its
 * token is valid for that one session only, which the gateways refuse until it exists.
 */
export async function prewarm(
  { sandboxes, settings, agent: deps }: WarmPoolDeps,
  { sessionId, model, provider }: PooledSandbox,
): Promise<{ port: SandboxPort; sandboxId: string }> {
  if (deps === undefined)
    return fail('not-configured', 'No agent is configured.', 'Set GATEWAY_SECRET.');
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
      // The current rules: the session sets them again before anything of the repository runs.
      egress: (await settings()).egress.allow,
    }));
  const { launch } = await agentLaunch({ sessionId, sandboxId, model, repository: null }, deps);
  const start = (isFresh: boolean) =>
    deps.launcher(port).launch({ ...launch, sandboxId, restore: null, isFresh });
  const [agent] = await Promise.all([
    start(false),
    createWarmFolder(sandboxShell(port, sandboxId), REPOSITORY_FOLDER),
  ]);
  for (let run = 0; run < DRY_RUNS; run++) {
    if (await agent.prewarm(model)) continue;
    // A dry run that was cut off leaves that process broken: every later prompt would fail, so start it again.
    await start(true);
    break;
  }
  return { port, sandboxId };
}
