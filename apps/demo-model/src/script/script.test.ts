import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { conversation, playTurn, user } from '../../test/conversation.ts';
import type { Message } from '../conversation.ts';
import { selectReply } from './select-reply.ts';
import { loadScript, parseScript } from './load.ts';

const bash = (command: string) => ({ tool: 'bash', input: { command } });
const steps = parseScript({
  name: 'steps',
  otherwise: 'refuse',
  rules: [
    {
      name: 'captured',
      when: { prompt: { regex: 'rename (\\w+) to (\\w+)' } },
      steps: [
        { calls: [bash('mv {{match.1}} {{folder}}/{{match.2}} # {{unknown}}')] },
        {
          branch: [
            { ifResult: 'no such file', say: 'Not there: {{result.0}}' },
            { say: 'Renamed.' },
          ],
        },
      ],
    },
    {
      name: 'looping',
      when: { prompt: 'loop' },
      steps: [{ repeat: 3, calls: [bash('date')] }, { say: 'End.' }],
    },
    {
      name: 'paired',
      when: { prompt: 'pair' },
      steps: [
        { calls: [bash('one'), bash('two')] },
        { calls: [bash('three')] },
        { calls: [bash('three')] },
        { say: 'End.' },
      ],
    },
    { name: 'small', when: { model: 'demo-small' }, steps: [{ say: 'Small.' }] },
    { name: 'own title', when: { kind: 'title' }, steps: [{ say: 'Mine' }] },
  ],
});

describe('matching', () => {
  it('replaces captures, the folder and results, and keeps other braces', () => {
    const played = playTurn(steps, 'Please rename a to b', () => 'done');
    expect(played.calls).toEqual([bash('mv a /repo/b # {{unknown}}')]);
    expect(played.finalText).toBe('Renamed.');
  });

  it('selects the branch that matches the results', () => {
    expect(playTurn(steps, 'rename a to b', () => 'No such file: a').finalText).toBe(
      'Not there: No such file: a',
    );
  });

  it('repeats a step', () => expect(playTurn(steps, 'loop', () => '').calls).toHaveLength(3));

  it('matches the model and the kind of request', () => {
    expect(selectReply(steps, conversation([user('x')], { model: 'demo-small' })).rule).toBe(
      'small',
    );
    const title = conversation([user('Generate a title for this conversation:'), user('x')], {
      tools: [],
    });
    expect(selectReply(steps, title)).toMatchObject({
      kind: 'title',
      rule: 'own title',
      reply: { say: 'Mine' },
    });
  });

  it('selects no reply when no rule matches and the script refuses', () => {
    expect(selectReply(steps, conversation([user('something else')])).rule).toBeNull();
  });

  it('ignores text that the agent adds to the prompt', () => {
    const prompt = user('<system-reminder>loop</system-reminder>\nrename a to b');
    expect(selectReply(steps, conversation([prompt])).rule).toBe('captured');
  });
});

const taken = (id: string, text: string): Message[] => [
  { role: 'assistant', text: '', reasoning: '', calls: [{ id, name: 'bash', input: {} }] },
  { role: 'tool', callId: id, text },
];

const made = (...commands: string[]): Message[] => [
  {
    role: 'assistant',
    text: '',
    reasoning: '',
    calls: commands.map((command, index) => ({
      id: `${command}-${index}`,
      name: 'bash',
      input: { command },
    })),
  },
  ...commands.map((command, index): Message => {
    return { role: 'tool', callId: `${command}-${index}`, text: 'ok' };
  }),
];

describe('a turn that continues', () => {
  it.each([
    ['after none of them', [], 0],
    ['between its calls', made('one'), 0],
    ['between its calls, and requested again', [...made('one'), ...made('one', 'two')], 1],
    ['after its last call', [...made('one', 'two'), ...made('one', 'two')], 1],
    ['twice', [...made('one'), ...made('one', 'two'), ...made('one', 'two')], 1],
    ['in the next step', [...made('one', 'two'), ...made('three')], 2],
    [
      'before a step that is the same',
      [...made('one', 'two'), ...made('three'), ...made('three')],
      3,
    ],
  ])('skips no step when an answer was cut off %s', (_when, past, step) => {
    expect(selectReply(steps, conversation([user('pair'), ...past])).step).toBe(step);
  });

  it('continues after an interruption, and repeats the interrupted step', () => {
    const messages = [
      user('loop'),
      ...taken('1', 'ok'),
      ...taken('2', '[Tool execution was interrupted]'),
    ];
    const resumed = conversation([...messages, user('You were interrupted. Continue.')]);
    expect(selectReply(steps, resumed)).toMatchObject({ rule: 'looping', step: 1 });
  });

  it('restarts with another prompt', () => {
    const messages = [user('loop'), ...taken('1', 'ok'), user('rename a to b')];
    expect(selectReply(steps, conversation(messages))).toMatchObject({ rule: 'captured', step: 0 });
  });

  it('continues after a compaction, also a second one', () => {
    const request =
      '<conversation>\n[User]: loop\n\n[Assistant tool call]: bash({})\n[Tool result]: ok\n</conversation>\nCreate an anchored summary';
    const first = selectReply(steps, conversation([user(request)], { tools: [] }));
    expect(first.kind).toBe('compaction');
    const summary: Message = {
      role: 'assistant',
      text: first.reply.say ?? '',
      reasoning: '',
      calls: [],
    };
    const go = user(
      'Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.',
    );
    const after = [user('What did we do so far?'), summary, go];
    expect(selectReply(steps, conversation(after))).toMatchObject({ rule: 'looping', step: 1 });
    expect(selectReply(steps, conversation([...after, ...taken('2', 'ok')]))).toMatchObject({
      step: 2,
    });

    const secondRequest = `<conversation>\n[User]: What did we do so far?\n\n[Assistant]: ${summary.text}\n\n[Assistant tool call]: bash({})\n[Tool result]: ok\n</conversation>\nanchored summary`;
    const second = selectReply(steps, conversation([user(secondRequest)], { tools: [] }));
    expect(second.reply.say).toContain('"steps":2');
  });
});

describe('script files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'demo-model-scripts-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('are JSON', async () => {
    const script = await loadScript(
      file('a.json', '{"name":"a","rules":[{"name":"r","steps":[{"say":"hi"}]}]}'),
    );
    expect(playTurn(script, 'x', () => '').finalText).toBe('hi');
  });

  it('match the example in the README', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const example = parseScript(JSON.parse(/```json\n([^]*?)```/.exec(readme)?.[1] ?? ''));
    const played = playTurn(example, 'create a.txt', () => 'Wrote file successfully.');
    expect(played.calls[0]?.input['filePath']).toBe('/repo/a.txt');
    expect(played.finalText).toMatch(/^Done\./);
  });

  it('or modules with a generator', async () => {
    const text = `export default { name: 'a', rules: [{ name: 'r', run: function* (turn) {
      const [result] = yield { calls: [{ tool: 'bash', input: { command: 'ls' } }] };
      return { say: turn.prompt + ': ' + result.text };
    } }] };`;
    const script = await loadScript(file('a.mjs', text));
    expect(playTurn(script, 'Files', () => 'a b').finalText).toBe('Files: a b');
  });

  it.each([
    ['{"name":', 'is not JSON'],
    ['{"name":"a"}', 'rules: '],
    ['{"name":"a","rules":[{"name":"r"}]}', 'rules[0]: give either steps or run'],
    ['{"name":"a","rules":[{"name":"r","steps":[{"say":1}]}]}', 'rules[0].steps[0].say: '],
    [
      '{"name":"a","rules":[{"name":"r","steps":[{"sya":"x"}]}]}',
      'rules[0].steps[0]: Unrecognized key: "sya"',
    ],
    [
      '{"name":"a","rules":[{"name":"r","when":{"prompt":{"regex":"("}},"steps":[{}]}]}',
      'rules[0].when.prompt.regex: not a regular expression',
    ],
    [
      '{"name":"a","rules":[{"name":"r","steps":[{"faults":[{"kind":"explode"}]}]}]}',
      'rules[0].steps[0].faults[0].kind: ',
    ],
    [
      '{"name":"a","rules":[],"models":[{"id":"m","price":{"input":-1,"output":1}}]}',
      'models[0].price.input: ',
    ],
  ])('report the location of an error: %s', async (text, place) => {
    const path = file('wrong.json', text);
    await expect(loadScript(path)).rejects.toThrow(place);
    await expect(loadScript(path)).rejects.toThrow(path);
  });

  it('report that they cannot be read', async () => {
    await expect(loadScript(join(folder, 'none.json'))).rejects.toThrow('cannot be read');
    await expect(loadScript(join(folder, 'none.mjs'))).rejects.toThrow('cannot be loaded');
    await expect(loadScript(file('a.txt', ''))).rejects.toThrow('a script is a .json');
  });
});
