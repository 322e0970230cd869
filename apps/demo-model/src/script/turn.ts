/** Extracts the current turn from a conversation: its prompt and the steps since. */
import type { Conversation, Message, ToolMessage } from '../conversation.ts';
import { readMarker } from './marker.ts';
import type { Result, Turn } from './script.ts';

/** Prompts of agents and platforms that continue interrupted work; they are not new tasks. */
const CONTINUATION =
  /^\s*(continue|go on|resume|carry on|keep going|please continue|(the work|you|your work|the last turn|the previous turn) (was|were) interrupted)\b/i;
/** User messages that the agent itself adds, after a compaction or with an image from a tool. */
const AGENT_MESSAGES =
  /Continue if you have next steps, or stop and ask|^Attached (image|media)\S* from tool result|^The following tool was executed by the user|^What did we do so far\?/;
const INTERRUPTED =
  /^\s*(\[Tool execution was interrupted\]|Tool execution aborted)|<shell_metadata>\s*User aborted the command/;
const FAILED =
  /^\s*(\[?Error\b|\w*Error:|\[Tool execution|Tool execution aborted|The user (has )?(rejected|specified a rule)|User refused|File not found|Could not find oldString|Found multiple matches|The arguments provided to the tool are invalid|The \w+ tool was called with invalid)/i;

/** The user's text, without the reminders that agents add for the model. */
export function promptText(text: string): string {
  return text.replaceAll(/<system-reminder>[^]*?<\/system-reminder>/g, '').trim();
}

export function isContinuation(text: string): boolean {
  return CONTINUATION.test(text) || AGENT_MESSAGES.test(text);
}

interface Prompt {
  /** Index of the first message after the prompt. */
  after: number;
  text: string;
}

/** Joins adjacent user messages: some protocols split a prompt. */
function promptsOf(messages: Message[]): Prompt[] {
  const prompts: Prompt[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'user') continue;
    const text = promptText(message.text);
    if (text === '') continue;
    const last = prompts.at(-1);
    if (last?.after === index) {
      last.text += `\n${text}`;
      last.after = index + 1;
    } else prompts.push({ after: index + 1, text });
  }
  return prompts;
}

export function readTurn(conversation: Conversation): Turn {
  const { messages, system } = conversation;
  const prompts = promptsOf(messages);
  const task = prompts.findLast((prompt) => !isContinuation(prompt.text));
  const marker = readMarker(messages);
  // A compaction after the task's prompt replaces it.
  const compacted = marker !== null && (task === undefined || marker.index >= task.after);
  const from = compacted ? marker.index + 1 : ((task ?? prompts.at(-1))?.after ?? 0);
  const latest = messages.findLast((message) => message.role === 'user')?.text ?? '';
  return {
    prompt: compacted ? marker.prompt : ((task ?? prompts.at(-1))?.text ?? ''),
    match: [],
    folder: /^\s*Working directory: (.+)$/m.exec(system)?.[1]?.trim() ?? null,
    tools: new Set(conversation.tools.map((tool) => tool.name)),
    planOnly: /# Plan Mode - System Reminder|Plan mode is active/i.test(latest),
    steps: stepsOf(messages.slice(from)),
    lostSteps: compacted ? marker.steps : 0,
    conversation,
  };
}

/**
 * An interrupted step before a continuation prompt does not count, so that it is repeated. Without such a prompt it does
 * count: a tool that is always interrupted would otherwise be called forever.
 */
function stepsOf(messages: Message[]): Result[][] {
  const outputs = new Map(
    messages
      .filter((message): message is ToolMessage => message.role === 'tool')
      .map((message) => [message.callId, message.text]),
  );
  const resumedAt = messages.findLastIndex((message) => message.role === 'user');
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant' || message.calls.length === 0) return [];
    const results = message.calls.map((call): Result => {
      const text = outputs.get(call.id) ?? '[Tool execution was interrupted]';
      return { tool: call.name, input: call.input, text, failed: FAILED.test(text) };
    });
    const isRepeated = index < resumedAt && results.some((result) => INTERRUPTED.test(result.text));
    return isRepeated ? [] : [results];
  });
}
