import { describe, expect, it } from 'vitest';
import { markerLine } from '../script/marker.ts';
import { compactionSummary, parseCompactedConversation } from './compaction.ts';
import { titleFor } from './title.ts';

describe('titles', () => {
  it.each([
    [
      'Generate a title for this conversation:\nFix the bug in the README please',
      'Fix the bug in the README please',
    ],
    ['Could you please add a licence?', 'Add a licence'],
    ['# Heading\n\nmore', 'Heading'],
    ['   ', 'Demo session'],
    [
      'The last page of books is missing when it is not full, and one test fails. Please fix it.',
      'The last page of books is missing when it is not full',
    ],
  ])('%j', (text, title) => expect(titleFor(text)).toBe(title));

  it('ends at a word within 60 characters', () => {
    const title = titleFor(
      'Rewrite the whole authentication subsystem so that nothing ever breaks',
    );
    expect(title).toBe('Rewrite the whole authentication subsystem so that nothing');
  });
});

describe('compaction', () => {
  const text =
    'Here it is:\n\n<conversation>\n[User]: old task\n\n[Assistant]: ok\n\n[User]: new task\nwith two lines\n\n[Assistant tool call]: bash({"command":"a"})\n[Tool result]: [x]: y\n\n[Assistant tool call]: read({"filePath":"/repo/a.js"})\n[Tool error]: no\n\n[User]: continue\n</conversation>\n\nCreate an anchored summary';

  it('reads the newest task and the calls since', () => {
    expect(parseCompactedConversation(text)).toEqual({
      prompt: 'new task\nwith two lines',
      lostSteps: 0,
      results: [
        { tool: 'bash', input: '{"command":"a"}', text: '[x]: y', failed: false },
        { tool: 'read', input: '{"filePath":"/repo/a.js"}', text: 'no', failed: true },
      ],
    });
  });

  it('continues from an earlier summary', () => {
    const again = `<conversation>\n[Assistant tool call]: bash({})\n[Tool result]: x\n</conversation>\n<previous>\n${markerLine('the task', 4)}\n</previous>`;
    expect(parseCompactedConversation(again)).toMatchObject({ prompt: 'the task', lostSteps: 4 });
  });

  it('keeps every section of the format', () => {
    const summary = compactionSummary(parseCompactedConversation(text), 2);
    expect(summary.match(/^##+ .*$/gm)).toEqual([
      '## Objective',
      '## Important Details',
      '## Work State',
      '### Completed',
      '### Active',
      '### Blocked',
      '## Next Move',
      '## Relevant Files',
    ]);
    expect(summary).toContain(markerLine('new task\nwith two lines', 2));
    expect(summary).toContain('- /repo/a.js');
  });
});
