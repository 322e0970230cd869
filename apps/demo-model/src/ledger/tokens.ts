/** Counts tokens without a tokenizer: four UTF-8 bytes are one token. Counts need only be deterministic. */
import type { AnswerCall, Usage } from '../answer.ts';
import type { Conversation, Message } from '../conversation.ts';

const BYTES_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_ATTACHMENT = 256;
/** Providers cache whole blocks, and only prompts above a minimum size. */
const CACHE_BLOCK_TOKENS = 128;
const CACHE_MINIMUM_TOKENS = 1024;

export function countTokens(text: string): number {
  return text === '' ? 0 : Math.ceil(Buffer.byteLength(text, 'utf8') / BYTES_PER_TOKEN);
}

function messageTokens(message: Message): number {
  switch (message.role) {
    case 'user':
      return (
        TOKENS_PER_MESSAGE + countTokens(message.text) + message.attachments * TOKENS_PER_ATTACHMENT
      );
    case 'assistant':
      return (
        TOKENS_PER_MESSAGE +
        countTokens(message.text) +
        message.calls.reduce(
          (sum, call) => sum + countTokens(JSON.stringify(call.input) + call.name),
          0,
        )
      );
    case 'tool':
      return TOKENS_PER_MESSAGE + countTokens(message.text);
  }
}

/** All input tokens, cached or not. */
export function promptTokens(conversation: Conversation, messages = conversation.messages): number {
  return (
    countTokens(conversation.system) +
    conversation.tools.reduce((sum, tool) => sum + countTokens(tool.definition), 0) +
    messages.reduce((sum, message) => sum + messageTokens(message), 0)
  );
}

/** Tokens that the previous request already sent: everything before the newest assistant message. */
function cachedPrefixTokens(conversation: Conversation): number {
  const newest = conversation.messages.findLastIndex((message) => message.role === 'assistant');
  if (newest < 0) return 0;
  const prefix = promptTokens(conversation, conversation.messages.slice(0, newest));
  return prefix < CACHE_MINIMUM_TOKENS ? 0 : wholeBlocks(prefix);
}

function wholeBlocks(tokens: number): number {
  return Math.floor(tokens / CACHE_BLOCK_TOKENS) * CACHE_BLOCK_TOKENS;
}

export function measureUsage(
  conversation: Conversation,
  reply: { reasoning: string; text: string; calls: AnswerCall[] },
): Usage {
  const cacheReadTokens = cachedPrefixTokens(conversation);
  const fresh = promptTokens(conversation) - cacheReadTokens;
  const cacheWriteTokens = conversation.writesCache ? wholeBlocks(fresh) : 0;
  return {
    inputTokens: fresh - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens:
      countTokens(reply.text) +
      reply.calls.reduce((sum, call) => sum + countTokens(call.name + call.argumentsJson), 0),
    reasoningTokens: countTokens(reply.reasoning),
  };
}
