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

/** A person's commands to the agent, other than prompts. */
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
   * `approve` carries out the plan, `edit` carries out `text` instead, `reject` asks for another plan if there is a `text`.
   * The next work becomes a prompt with the id `promptId`.
   */
  z.object({
    type: z.literal('plan.decide'),
    planId: AgentRef,
    decision: PlanDecision,
    text: z.string().trim().max(90_000).nullable(),
    promptId: PromptId,
    by,
  }),
  /** Applies from the next prompt on. */
  z.object({ type: z.literal('mode.change'), mode: AgentMode, by }),
]);
export type AgentCommand = z.infer<typeof AgentCommand>;
