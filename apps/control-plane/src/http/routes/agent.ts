import {
  type AgentCommand,
  AskId,
  ModeChoice,
  PermissionAnswer,
  PlanAnswer,
  QuestionAnswer,
  type RequestId,
  SessionId,
  SessionReceipt,
  createId,
} from '@ship/protocol';
import * as z from 'zod';
import type { ApiDeps } from '../api.ts';
import { nameOf } from '../auth/caller.ts';
import { sendCommand } from '../command.ts';
import { endpoint } from '../endpoint.ts';

const path = '/sessions/{sessionId}';
const params = z.object({ sessionId: SessionId });
const askParams = z.object({ sessionId: SessionId, askId: AskId });

export const agentRoutes = ({ session }: ApiDeps) => {
  const sendToAgent = async (
    sessionId: SessionId,
    request: Request,
    body: { requestId: RequestId },
    command: AgentCommand,
  ) => {
    const input = { request, requestId: body.requestId, body };
    return { sessionId, seq: (await sendCommand(session(sessionId), input, command)).seq };
  };
  return [
    endpoint({
      method: 'post',
      path: `${path}/questions/{askId}`,
      summary: 'Answers or dismisses a question of the agent',
      params: askParams,
      body: QuestionAnswer,
      response: SessionReceipt,
      handle: ({ params: { sessionId, askId }, body, request, caller }) =>
        sendToAgent(sessionId, request, body, {
          type: 'question.answer',
          requestId: askId,
          answers: body.answers,
          by: nameOf(caller),
        }),
    }),
    endpoint({
      method: 'post',
      path: `${path}/permissions/{askId}`,
      summary: 'Allows or denies a permission that the agent requests',
      params: askParams,
      body: PermissionAnswer,
      response: SessionReceipt,
      handle: ({ params: { sessionId, askId }, body, request, caller }) =>
        sendToAgent(sessionId, request, body, {
          type: 'permission.answer',
          requestId: askId,
          reply: body.reply,
          message: body.message,
          by: nameOf(caller),
        }),
    }),
    endpoint({
      method: 'post',
      path: `${path}/plans/{askId}`,
      summary: 'Approves, changes or rejects a plan',
      params: askParams,
      body: PlanAnswer,
      response: SessionReceipt,
      handle: ({ params: { sessionId, askId }, body, request, caller }) =>
        sendToAgent(sessionId, request, body, {
          type: 'plan.decide',
          planId: askId,
          decision: body.decision,
          text: body.text,
          promptId: createId('prm'),
          by: nameOf(caller),
        }),
    }),
    endpoint({
      method: 'put',
      path: `${path}/mode`,
      summary: 'Sets the mode from the next prompt on: build changes files, plan only proposes',
      params,
      body: ModeChoice,
      response: SessionReceipt,
      handle: ({ params: { sessionId }, body, request, caller }) =>
        sendToAgent(sessionId, request, body, {
          type: 'mode.change',
          mode: body.mode,
          by: nameOf(caller),
        }),
    }),
  ];
};
