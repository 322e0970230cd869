import * as z from 'zod';
import {
  AgentMode,
  PermissionReply,
  PlanDecision,
  QuestionAnswers,
} from '../events/agent-events.ts';
import { RequestId } from '../ids.ts';

/** The agent's id of a question, permission request or plan. */
export const AskId = z.string().min(1).max(200);

/** `POST …/questions/:askId`. `answers` null: the question is dismissed and the agent decides for itself. */
export const QuestionAnswer = z.strictObject({
  requestId: RequestId,
  answers: QuestionAnswers.nullable(),
});
export type QuestionAnswer = z.infer<typeof QuestionAnswer>;

/** `POST …/permissions/:askId` */
export const PermissionAnswer = z.strictObject({
  requestId: RequestId,
  reply: PermissionReply,
  /** Tells the agent why not, or what to do instead. */
  message: z.string().trim().max(2000).nullable().default(null),
});
export type PermissionAnswer = z.infer<typeof PermissionAnswer>;

/** `POST …/plans/:askId`. With `edit`, `text` is the plan to carry out; with `reject`, what to plan instead. */
export const PlanAnswer = z.strictObject({
  requestId: RequestId,
  decision: PlanDecision,
  text: z.string().trim().max(90_000).nullable().default(null),
});
export type PlanAnswer = z.infer<typeof PlanAnswer>;

/** `PUT …/mode`: applies from the next prompt on. */
export const ModeChoice = z.strictObject({ requestId: RequestId, mode: AgentMode });
export type ModeChoice = z.infer<typeof ModeChoice>;
