import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOOLS, playTurn } from '../../../test/conversation.ts';
import { generalScript } from '../../script/compile.ts';
import type { CallPlan } from '../../script/script.ts';

const SOURCE = 'exports.last = (list) => list[list.length - 2];';
const TEST =
  "const { last } = require('../src/last.js');\ntest('takes the last', () => {\n  assert.equal(last([1, 2]), 2);\n});";
const FAILING =
  '✖ takes the last (1ms)\nℹ pass 0\nℹ fail 1\ntest at test/last.test.js:2:1\n  1 !== 2\nexit code 1\n';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function framed(path: string, content: string): string {
  const lines = content.split('\n').map((line, index) => `${index + 1}: ${line}`);
  return `<path>${path}</path>\n<type>file</type>\n<content>\n${lines.join('\n')}\n\n(End of file - total ${lines.length} lines)\n</content>`;
}

/** Simulates the agent's tools on a few files; `passes` decides the test result. */
function machine(
  files: Record<string, string>,
  passes: (files: Record<string, string>) => boolean,
) {
  const state = { ...files };
  const tool = ({ tool: name, input }: CallPlan): string => {
    const path = text(input['filePath']).replace('/repo/', '');
    const before = text(input['oldString']);
    switch (name) {
      case 'glob':
        return (
          Object.keys(state)
            .map((file) => `/repo/${file}`)
            .join('\n') || 'No files found'
        );
      case 'read':
        return state[path] === undefined ? `File not found: ${path}` : framed(path, state[path]);
      case 'write':
        state[path] = text(input['content']);
        return 'Wrote file successfully.';
      case 'edit': {
        const old = state[path] ?? '';
        if (before === '' || old.split(before).length !== 2) return 'Could not find oldString';
        state[path] = old.replace(before, () => text(input['newString']));
        return 'Edit applied successfully.';
      }
      case 'bash':
        return passes(state) ? 'ℹ pass 1\nℹ fail 0\nexit code 0\n' : FAILING;
      default:
        return 'No files found';
    }
  };
  return { state, tool };
}

const project = {
  'package.json': '{"scripts":{"test":"node --test"}}',
  'src/last.js': SOURCE,
  'test/last.test.js': TEST,
};

describe('the general script', () => {
  it('reverts wrong fixes and leaves a note', () => {
    const source =
      'exports.last = (list) => (list.length > 1 && list[0] < 3 ? list[0] - 1 : null);';
    const { state, tool } = machine({ ...project, 'src/last.js': source }, () => false);
    const { finalText, replies } = playTurn(generalScript, 'Fix the failing test', tool);
    expect(state['src/last.js']).toBe(source);
    expect(state['NOTES.md']).toContain('> Fix the failing test');
    expect(finalText).toContain('tried 4 small, well-known fixes');
    expect(replies.length).toBeLessThanOrEqual(24);
  });

  it('keeps the fix that makes the tests pass', () => {
    const files = {
      ...project,
      'src/last.js': 'exports.last = (list) => list[list.length - 1 - 1];',
    };
    const { state, tool } = machine(files, (now) => now['src/last.js'] !== files['src/last.js']);
    const { finalText } = playTurn(generalScript, 'One test fails', tool);
    expect(state['src/last.js']).toBe('exports.last = (list) => list[list.length - 1];');
    expect(Object.keys(state)).not.toContain('NOTES.md');
    expect(finalText).toContain('passes now (1 pass, 0 fail)');
  });

  it('follows re-exports of an index file', () => {
    const files = {
      ...project,
      'src/last.js': "export * from './impl.js';",
      'src/impl.js': 'export function last(list) {\n  return list[list.length - 1 - 1];\n}',
    };
    const { state, tool } = machine(files, (now) => now['src/impl.js'] !== files['src/impl.js']);
    playTurn(generalScript, 'One test fails', tool);
    expect(state['src/impl.js']).toContain('list[list.length - 1]');
  });

  it('fixes tests only on request', () => {
    const { state, tool } = machine(project, () => false);
    const { finalText } = playTurn(generalScript, 'Add a dark theme', tool);
    expect(state['src/last.js']).toBe(SOURCE);
    expect(finalText).toContain('fails (0 pass, 1 fail), as it did before');
  });

  it('writes a second note below the first, even for the same request', () => {
    const { state, tool } = machine({ 'main.c': 'int main;' }, () => true);
    playTurn(generalScript, 'Add a dark theme', tool);
    playTurn(generalScript, 'Add a dark theme', tool);
    expect(state['NOTES.md']?.match(/## Request/g)).toHaveLength(2);
  });

  it('does not change a file that it read only in part', () => {
    const { state, tool } = machine({ 'NOTES.md': 'old' }, () => true);
    const partial = (call: CallPlan): string => tool(call).replace('(End of file', '(More lines');
    playTurn(generalScript, 'Add a dark theme', partial);
    expect(state['NOTES.md']).toBe('old');
    expect(state['NOTES-2.md']).toContain('Add a dark theme');
  });

  it('reports a refused change', () => {
    const { tool } = machine({}, () => true);
    const refusing = (call: CallPlan): string =>
      call.tool === 'write' ? 'The user rejected permission to use this tool.' : tool(call);
    expect(playTurn(generalScript, 'Add a thing', refusing).finalText).toContain('was refused');
  });

  it('answers with text only when the agent offers no tools', () => {
    const { replies } = playTurn(generalScript, 'Add a thing', () => '', { tools: [] });
    expect(replies).toHaveLength(1);
    expect(replies[0]?.say).toContain('Scripted demo model');
  });

  it('ends with text within 25 steps, for any tools and any results', () => {
    const output = fc.oneof(
      fc.string(),
      fc.constantFrom(
        FAILING,
        'exit code 0',
        'Error: boom',
        '[Tool execution was interrupted]',
        '/repo/package.json\n/repo/src/last.js\n/repo/test/last.test.js\n/repo/README.md',
        framed('/repo/package.json', project['package.json']),
        framed('/repo/test/last.test.js', TEST),
        framed('/repo/src/last.js', SOURCE),
        'Edit applied successfully.',
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('Fix the failing test', 'Document it', 'Why?')),
        fc.array(output, { minLength: 1, maxLength: 12 }),
        fc.subarray(TOOLS),
        (prompt, outputs, tools) => {
          let next = 0;
          const tool = (): string => outputs[next++ % outputs.length] ?? '';
          const offered = tools.map((name) => ({ name, definition: name }));
          const played = playTurn(generalScript, `Please ${prompt}`, tool, { tools: offered }, 60);
          expect(played.replies.length).toBeLessThanOrEqual(25);
          expect(played.finalText).toContain('Scripted demo model');
        },
      ),
      { numRuns: 300 },
    );
  });
});
