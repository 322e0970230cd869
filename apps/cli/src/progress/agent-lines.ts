import { describeRecordingLimit, describeRetry } from '@ship/core';
import type { DurableEvent } from '@ship/protocol';
import { duration, oneLine } from './text.ts';

const MAX_TEXT = 160;
const MAX_RETRY_TEXT = 240;
/** Their calls are not shown: the line with finished to-dos already shows the progress. */
const TODO_TOOLS: ReadonlySet<string> = new Set(['todowrite', 'todoread']);

/** The agent's messages and tool calls. Reasoning and internal steps are shown only in the web app. */
export function describeAgent(event: DurableEvent): string | undefined {
  switch (event.type) {
    case 'text.finished': {
      const { kind, text, subagentId } = event.data;
      return kind === 'text' && subagentId === null ? `“${oneLine(text, MAX_TEXT)}”` : undefined;
    }
    case 'tool.finished':
      return TODO_TOOLS.has(event.data.tool) ? undefined : toolLine(event.data);
    case 'todos.changed': {
      const { todos } = event.data;
      const done = todos.filter(({ status }) => status === 'completed').length;
      return `${done} of ${todos.length} to-dos done`;
    }
    case 'question.asked':
      return `asks: ${oneLine(event.data.questions[0]?.question ?? '', MAX_TEXT)}`;
    case 'question.answered':
      return `answered by ${event.data.by}`;
    case 'permission.asked':
      return `asks for permission: ${event.data.permission} ${oneLine(event.data.patterns.join(' '), MAX_TEXT)}`;
    case 'permission.answered':
      return `${event.data.reply} by ${event.data.by}`;
    case 'plan.proposed':
      return `proposes: ${oneLine(event.data.text, MAX_TEXT)}`;
    case 'plan.decided':
      return `plan: ${event.data.decision} by ${event.data.by}`;
    case 'subagent.started':
      return `sub-agent: ${oneLine(event.data.title, MAX_TEXT)}`;
    case 'conversation.compacted':
      return 'the conversation was compacted';
    case 'provider.retrying':
      return `${oneLine(describeRetry(event.data.reason), MAX_RETRY_TEXT)}; retrying (attempt ${event.data.attempt})`;
    case 'recording.limited':
      return oneLine(describeRecordingLimit(event.data), MAX_RETRY_TEXT);
    default:
      return undefined;
  }
}

type ToolFinished = (DurableEvent & { type: 'tool.finished' })['data'];

function toolLine({ tool, title, status, exitCode, durationMs, edits }: ToolFinished): string {
  const failed = status === 'completed' ? '' : ` – ${status}`;
  const code = exitCode === null || exitCode === 0 ? '' : ` – exit code ${exitCode}`;
  // A tool that writes a whole file reports the path without line counts.
  const changed = edits
    .filter(({ additions, deletions }) => additions + deletions > 0)
    .map(({ additions, deletions }) => ` +${additions} −${deletions}`)
    .join('');
  // Some tools have no title.
  const what = `${tool} ${oneLine(title, MAX_TEXT)}`.trimEnd();
  return `${what}${changed}${failed}${code} (${duration(durationMs)})`;
}
