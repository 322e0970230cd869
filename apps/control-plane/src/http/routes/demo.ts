import {
  DemoTask,
  PlainCommand,
  type SessionId,
  SessionReceipt,
  createId,
  fail,
} from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { nameOf } from '../auth/caller.ts';
import { chooseModel } from '../choose-model.ts';
import { fingerprintOf, sendCommand } from '../command.ts';
import { endpoint } from '../endpoint.ts';

const HOST_TIMEOUT_MS = 15_000;

export const demoRoutes = (deps: ApiDeps) => [
  endpoint({
    method: 'post',
    path: '/demo',
    summary: 'Creates a sample repository on this machine and has the scripted model fix it',
    body: PlainCommand,
    response: SessionReceipt,
    status: 201,
    async handle({ body, request, caller }) {
      const { workspace, session, host } = deps;
      if (host === undefined) return noHost();
      const { requestId } = body;
      const fingerprint = fingerprintOf(request, body);
      const sessionId = unwrap(await workspace().admitSession(requestId, fingerprint));
      const { prompt: text, ...task } = await prepare(host, sessionId);
      const command = {
        type: 'session.create',
        ...task,
        sessionId,
        model: await chooseModel(deps, task.model),
        base: null,
        branch: null,
        budgetUsd: null,
        source: 'web',
        mode: 'build',
        titledBy: 'person',
        cardId: null,
        prompt: { promptId: createId('prm'), text, author: nameOf(caller) },
      } as const;
      const { seq } = await sendCommand(session(sessionId), { request, requestId, body }, command);
      return { sessionId, seq };
    },
  }),
];

/** Idempotent: the repository is named after the session, so a retry finds it. */
async function prepare(
  host: NonNullable<ApiDeps['host']>,
  sessionId: SessionId,
): Promise<DemoTask> {
  const response = await host
    .fetch(`http://host/demo/${sessionId}`, {
      method: 'PUT',
      signal: AbortSignal.timeout(HOST_TIMEOUT_MS),
    })
    .catch(() => undefined);
  const task = DemoTask.safeParse(response?.ok === true ? await response.json() : undefined);
  return task.success
    ? task.data
    : fail(
        'unavailable',
        'The sample repository could not be created.',
        'Check the log of `ship up`, then try again.',
      );
}

function noHost(): never {
  return fail(
    'not-configured',
    'The demo needs the local forge and the scripted model, which this deployment does not have.',
    'Start Ship on your own machine with `npm start`, or run `npx --no-install ship demo` there.',
  );
}
