import * as z from 'zod';
import {
  AgentMode,
  PermissionReply,
  PlanDecision,
  QuestionAnswers,
} from './events/agent-events.ts';
import { PromptId } from './ids.ts';

const by = z.string().min(1).max(200);
const AgentRef = z.string().min(1).max(200);

/** What a person says to the agent, other than a prompt. */
export const AgentCommand = z.discriminatedUnion('type', [
  /** `answers` null: the question is dismissed and the agent decides for itself. */
  z.object({
    type: z.literal('question.answer'),
    requestId: AgentRef,
    answers: QuestionAnswers.nullable(),
    by,
  }),
  /** `message` tells the agent why not, or what to do instead. */
  z.object({
    type: z.literal('permission.answer'),
    requestId: AgentRef,
    reply: PermissionReply,
    message: z.string().trim().max(2000).nullable(),
    by,
  }),
  /**
   * `approve` has the plan carried out, `edit` has `text` carried out instead, `reject` with `text` asks for another plan
   * and without ends the matter. What is to be done next becomes a prompt, under `promptId`.
   */
  z.object({
    type: z.literal('plan.decide'),
    planId: AgentRef,
    decision: PlanDecision,
    text: z.string().trim().max(90_000).nullable(),
    promptId: PromptId,
    by,
  }),
  /** Holds from the next prompt on. */
  z.object({ type: z.literal('mode.change'), mode: AgentMode, by }),
]);
export type AgentCommand = z.infer<typeof AgentCommand>;
