/** Builds the answer for a script's step. Pure. */
import { createHash } from 'node:crypto';
import type { Answer, AnswerCall, Usage } from '../answer.ts';
import type { Conversation } from '../conversation.ts';
import { measureUsage } from '../ledger/tokens.ts';
import type { SelectedReply } from '../script/select-reply.ts';
import type { Fault } from '../script/fault.ts';
import type { Reply } from '../script/script.ts';

export function composeAnswer(
  conversation: Conversation,
  selected: SelectedReply,
  fault: Fault | null,
  stamp: { seq: number; atMs: number },
): Answer {
  const empty = fault?.kind === 'empty-answer';
  const reply: Reply = empty ? {} : selected.reply;
  const calls = (reply.calls ?? []).map((call, index): AnswerCall => {
    const json = JSON.stringify(call.input);
    return {
      id: callId(conversation, selected, index),
      name: call.tool,
      argumentsJson: fault?.kind === 'bad-tool-json' ? breakJson(json) : json,
    };
  });
  const content = { reasoning: reply.think ?? '', text: reply.say ?? '', calls };
  return {
    id: `demo-${stamp.seq}`,
    createdAtSec: Math.floor(stamp.atMs / 1000),
    model: conversation.model,
    ...content,
    finish: reply.finish ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
    usage: overrideUsage(measureUsage(conversation, content), reply.usage),
  };
}

/** The same request gives the same id; later requests of a conversation are longer and give other ids. */
function callId(conversation: Conversation, selected: SelectedReply, index: number): string {
  const facts = [conversation.messages, selected.rule, selected.step, index];
  const digest = createHash('sha256').update(JSON.stringify(facts)).digest('hex');
  return `call_${digest.slice(0, 20)}`;
}

/** Truncates JSON as a token limit would: it cannot be repaired by closing a bracket. */
function breakJson(json: string): string {
  return `${json.slice(0, Math.max(1, Math.floor(json.length / 2)))}"`;
}

function overrideUsage(usage: Usage, given: Reply['usage']): Usage {
  return {
    inputTokens: given?.inputTokens ?? usage.inputTokens,
    cacheReadTokens: given?.cacheReadTokens ?? usage.cacheReadTokens,
    cacheWriteTokens: given?.cacheWriteTokens ?? usage.cacheWriteTokens,
    outputTokens: given?.outputTokens ?? usage.outputTokens,
    reasoningTokens: given?.reasoningTokens ?? usage.reasoningTokens,
  };
}
