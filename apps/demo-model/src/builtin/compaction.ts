/** The summary that an agent asks for when the conversation no longer fits. Pure. */
import { markerLine, parseMarker } from '../script/marker.ts';
import type { Result } from '../script/script.ts';
import { isContinuation, promptText } from '../script/turn.ts';

const CONVERSATION = /<conversation>\n?([^]*?)\n?<\/conversation>/;
const ENTRY =
  /^\[(User|Assistant|Assistant reasoning|Assistant tool call|Tool result|Tool error)\]: /;
const MAX_FILES = 10;

export interface Reading {
  prompt: string;
  /** Steps that an earlier compaction hid. */
  lostSteps: number;
  /** The calls since the prompt; which of them were one step, the text does not say. */
  results: Result[];
}

/** The agent gives the conversation as text: `[User]: …`, `[Assistant tool call]: name(json)`, `[Tool result]: …`. */
export function readConversation(userText: string): Reading {
  const earlier = parseMarker(userText);
  const reading: Reading = {
    prompt: earlier?.prompt ?? '',
    lostSteps: earlier?.steps ?? 0,
    results: [],
  };
  const text = CONVERSATION.exec(userText)?.[1] ?? userText;
  for (const entry of text.split(new RegExp(`\\n+(?=${ENTRY.source.slice(1)})`))) {
    const who = ENTRY.exec(entry)?.[1];
    const said = entry.replace(ENTRY, '');
    if (who === 'User') {
      const asked = promptText(said);
      if (asked === '' || isContinuation(asked)) continue;
      Object.assign(reading, { prompt: asked, lostSteps: 0, results: [] });
    } else if (who === 'Assistant tool call') {
      const [, tool = '', input = ''] = /^(\w+)\(([^]*)\)\s*$/.exec(said) ?? [];
      reading.results.push({ tool, input, text: '', failed: false });
    } else if (who === 'Tool result' || who === 'Tool error') {
      const last = reading.results.at(-1);
      if (last !== undefined) Object.assign(last, { text: said, failed: who === 'Tool error' });
    }
  }
  return reading;
}

export function compactionSummary(reading: Reading, steps: number): string {
  const paths = reading.results.flatMap(
    ({ input }) => /"filePath":"([^"]+)"/.exec(String(input))?.[1] ?? [],
  );
  const files = [...new Set(paths)].slice(0, MAX_FILES);
  return [
    '## Objective',
    `- ${reading.prompt.split('\n')[0] ?? ''}`,
    '',
    '## Important Details',
    '- This summary was written by the scripted demo model.',
    markerLine(reading.prompt, steps),
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
    '1. Go on with the next step of the script.',
    '',
    '## Relevant Files',
    ...(files.length === 0 ? ['- (none)'] : files.map((file) => `- ${file}`)),
  ].join('\n');
}
