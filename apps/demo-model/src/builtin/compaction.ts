/** The summary that an agent requests when the conversation exceeds the context. Pure. */
import { markerLine, parseMarker } from '../script/marker.ts';
import type { Result } from '../script/script.ts';
import { isContinuation, promptText } from '../script/turn.ts';

const CONVERSATION = /<conversation>\n?([^]*?)\n?<\/conversation>/;
const ENTRY =
  /^\[(User|Assistant|Assistant reasoning|Assistant tool call|Tool result|Tool error)\]: /;
const MAX_FILES = 10;

export interface CompactedConversation {
  prompt: string;
  /** Steps before an earlier compaction. */
  lostSteps: number;
  /** The calls since the prompt; the text does not show which calls belong to one step. */
  results: Result[];
}

/** Parses the agent's text form: `[User]: …`, `[Assistant tool call]: name(json)`, `[Tool result]: …`. */
export function parseCompactedConversation(userText: string): CompactedConversation {
  const earlier = parseMarker(userText);
  const conversation: CompactedConversation = {
    prompt: earlier?.prompt ?? '',
    lostSteps: earlier?.steps ?? 0,
    results: [],
  };
  const text = CONVERSATION.exec(userText)?.[1] ?? userText;
  for (const entry of text.split(new RegExp(`\\n+(?=${ENTRY.source.slice(1)})`))) {
    const role = ENTRY.exec(entry)?.[1];
    const content = entry.replace(ENTRY, '');
    if (role === 'User') {
      const prompt = promptText(content);
      if (prompt === '' || isContinuation(prompt)) continue;
      Object.assign(conversation, { prompt, lostSteps: 0, results: [] });
    } else if (role === 'Assistant tool call') {
      const [, tool = '', input = ''] = /^(\w+)\(([^]*)\)\s*$/.exec(content) ?? [];
      conversation.results.push({ tool, input, text: '', failed: false });
    } else if (role === 'Tool result' || role === 'Tool error') {
      const last = conversation.results.at(-1);
      if (last !== undefined) Object.assign(last, { text: content, failed: role === 'Tool error' });
    }
  }
  return conversation;
}

export function compactionSummary(conversation: CompactedConversation, steps: number): string {
  const paths = conversation.results.flatMap(
    ({ input }) => /"filePath":"([^"]+)"/.exec(String(input))?.[1] ?? [],
  );
  const files = [...new Set(paths)].slice(0, MAX_FILES);
  return [
    '## Objective',
    `- ${conversation.prompt.split('\n')[0] ?? ''}`,
    '',
    '## Important Details',
    '- This summary was written by the scripted demo model.',
    markerLine(conversation.prompt, steps),
    '',
    '## Work State',
    '### Completed',
    `- ${steps === 0 ? '(none)' : `${steps} ${steps === 1 ? 'step' : 'steps'} of the script`}`,
    '',
    '### Active',
    '- (none)',
    '',
    '### Blocked',
    '- (none)',
    '',
    '## Next Move',
    '1. Continue with the next step of the script.',
    '',
    '## Relevant Files',
    ...(files.length === 0 ? ['- (none)'] : files.map((file) => `- ${file}`)),
  ].join('\n');
}
