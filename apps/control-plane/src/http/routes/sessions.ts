import {
  HistoryPage,
  HistoryQuery,
  ModelChoice,
  PlainCommand,
  SessionEdit,
  SessionId,
  SessionReceipt,
  SessionView,
  StopCommand,
  Trace,
  createId,
} from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { nameOf } from '../auth/caller.ts';
import { chooseModel } from '../choose-model.ts';
import { sendCommand } from '../command.ts';
import { NO_STORE_HEADERS, endpoint } from '../endpoint.ts';

const params = z.object({ sessionId: SessionId });
const path = '/sessions/{sessionId}';

export const sessionRoutes = (deps: ApiDeps) => {
  const { session } = deps;
  return [
    endpoint({
      method: 'get',
      path,
      summary: 'One session: its summary and full state',
      params,
      response: SessionView,
      handle: async ({ params: { sessionId } }) => unwrap(await session(sessionId).view()),
    }),
    endpoint({
      method: 'patch',
      path,
      summary: 'Renames a session, or changes its budget, which resumes a turn that waits for it',
      params,
      body: SessionEdit,
      response: SessionReceipt,
      async handle({ params: { sessionId }, body, request, caller }) {
        const { requestId, title, budgetUsd = null } = body;
        const turnId = createId('turn');
        const command =
          title === undefined
            ? ({ type: 'budget.change', budgetUsd, turnId, by: nameOf(caller) } as const)
            : ({ type: 'session.rename', title } as const);
        const { seq } = await sendCommand(
          session(sessionId),
          { request, requestId, body },
          command,
        );
        return { sessionId, seq };
      },
    }),
    endpoint({
      method: 'delete',
      path,
      summary: 'Deletes a session with its sandbox and its log; its branch and pull request stay',
      params,
      response: null,
      async handle({ params: { sessionId }, caller }) {
        unwrap(await session(sessionId).view());
        await session(sessionId).remove(nameOf(caller));
      },
    }),
    endpoint({
      method: 'post',
      path: `${path}/close`,
      summary: 'Closes a session permanently and keeps its log',
      params,
      body: PlainCommand,
      response: SessionReceipt,
      async handle({ params: { sessionId }, body, request, caller }) {
        const command = { type: 'session.close', by: nameOf(caller) } as const;
        const input = { request, requestId: body.requestId, body };
        return { sessionId, seq: (await sendCommand(session(sessionId), input, command)).seq };
      },
    }),
    endpoint({
      method: 'post',
      path: `${path}/stop`,
      summary: 'Stops the agent; keeps the work so far and holds queued prompts',
      params,
      body: StopCommand,
      response: SessionReceipt,
      async handle({ params: { sessionId }, body, request, caller }) {
        const { requestId, clearQueue } = body;
        const command = { type: 'turn.stop', by: nameOf(caller), clearQueue } as const;
        const { seq } = await sendCommand(
          session(sessionId),
          { request, requestId, body },
          command,
        );
        return { sessionId, seq };
      },
    }),
    endpoint({
      method: 'post',
      path: `${path}/retry`,
      summary: 'Retries a failed turn, or resumes prompts that a stop has held',
      params,
      body: PlainCommand,
      response: SessionReceipt,
      async handle({ params: { sessionId }, body, request, caller }) {
        const by = nameOf(caller);
        const command = { type: 'turn.retry', turnId: createId('turn'), by } as const;
        const input = { request, requestId: body.requestId, body };
        return { sessionId, seq: (await sendCommand(session(sessionId), input, command)).seq };
      },
    }),
    endpoint({
      method: 'put',
      path: `${path}/model`,
      summary: 'Chooses another model; refused while the agent works',
      params,
      body: ModelChoice,
      response: SessionReceipt,
      async handle({ params: { sessionId }, body, request }) {
        const { requestId } = body;
        const command = {
          type: 'model.change',
          model: await chooseModel(deps, body.model),
        } as const;
        const { seq } = await sendCommand(
          session(sessionId),
          { request, requestId, body },
          command,
        );
        return { sessionId, seq };
      },
    }),
    endpoint({
      method: 'get',
      path: `${path}/history`,
      summary: 'A page of the event log: after an event, before one, or the newest',
      params,
      query: HistoryQuery,
      response: HistoryPage,
      async handle({ params: { sessionId }, query }) {
        const text = unwrap(await session(sessionId).history(query));
        return new Response(text, {
          headers: { ...Object.fromEntries(NO_STORE_HEADERS), 'content-type': 'application/json' },
        });
      },
    }),
    endpoint({
      method: 'get',
      path: `${path}/trace`,
      summary: 'The steps of the session with their durations',
      params,
      response: Trace,
      handle: async ({ params: { sessionId } }) => unwrap(await session(sessionId).readTrace()),
    }),
  ];
};
