import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { conversation, playTurn, user } from '../../test/conversation.ts';
import type { Message } from '../conversation.ts';
import { direct } from './direct.ts';
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
  it('fills in captures, the folder and results, and leaves other braces alone', () => {
    const played = playTurn(steps, 'Please rename a to b', () => 'done');
    expect(played.calls).toEqual([bash('mv a /repo/b # {{unknown}}')]);
    expect(played.lastWords).toBe('Renamed.');
  });

  it('takes the branch that the results call for', () => {
    expect(playTurn(steps, 'rename a to b', () => 'No such file: a').lastWords).toBe(
      'Not there: No such file: a',
    );
  });

  it('repeats a step', () => expect(playTurn(steps, 'loop', () => '').calls).toHaveLength(3));

  it('matches the model and the kind of request', () => {
    expect(direct(steps, conversation([user('x')], { model: 'demo-small' })).rule).toBe('small');
    const title = conversation([user('Generate a title for this conversation:'), user('x')], {
      tools: [],
    });
    expect(direct(steps, title)).toMatchObject({
      kind: 'title',
      rule: 'own title',
      reply: { say: 'Mine' },
    });
  });

  it('has nothing to say where no rule matches and the script refuses', () => {
    expect(direct(steps, conversation([user('something else')])).rule).toBeNull();
  });

  it('does not take what the agent adds for the prompt', () => {
    const prompt = user('<system-reminder>loop</system-reminder>\nrename a to b');
    expect(direct(steps, conversation([prompt])).rule).toBe('captured');
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

describe('a turn that goes on', () => {
  it.each([
    ['after none of them', [], 0],
    ['between its calls', made('one'), 0],
    ['between its calls, and asked again', [...made('one'), ...made('one', 'two')], 1],
    ['after its last call', [...made('one', 'two'), ...made('one', 'two')], 1],
    ['twice', [...made('one'), ...made('one', 'two'), ...made('one', 'two')], 1],
    ['in the next step', [...made('one', 'two'), ...made('three')], 2],
    [
      'before a step that is the same',
      [...made('one', 'two'), ...made('three'), ...made('three')],
      3,
    ],
  ])('skips no step when an answer was cut off %s', (_when, past, step) => {
    expect(direct(steps, conversation([user('pair'), ...past])).step).toBe(step);
  });

  it('goes on after an interruption, and takes the broken step again', () => {
    const messages = [
      user('loop'),
      ...taken('1', 'ok'),
      ...taken('2', '[Tool execution was interrupted]'),
    ];
    const resumed = conversation([...messages, user('You were interrupted. Continue.')]);
    expect(direct(steps, resumed)).toMatchObject({ rule: 'looping', step: 1 });
  });

  it('begins anew with another prompt', () => {
    const messages = [user('loop'), ...taken('1', 'ok'), user('rename a to b')];
    expect(direct(steps, conversation(messages))).toMatchObject({ rule: 'captured', step: 0 });
  });

  it('goes on after a compaction, also a second one', () => {
    const asked =
      '<conversation>\n[User]: loop\n\n[Assistant tool call]: bash({})\n[Tool result]: ok\n</conversation>\nCreate an anchored summary';
    const first = direct(steps, conversation([user(asked)], { tools: [] }));
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
    expect(direct(steps, conversation(after))).toMatchObject({ rule: 'looping', step: 1 });
    expect(direct(steps, conversation([...after, ...taken('2', 'ok')]))).toMatchObject({ step: 2 });

    const askedAgain = `<conversation>\n[User]: What did we do so far?\n\n[Assistant]: ${summary.text}\n\n[Assistant tool call]: bash({})\n[Tool result]: ok\n</conversation>\nanchored summary`;
    const second = direct(steps, conversation([user(askedAgain)], { tools: [] }));
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
    expect(playTurn(script, 'x', () => '').lastWords).toBe('hi');
  });

  it('are as the README says', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const example = parseScript(JSON.parse(/```json\n([^]*?)```/.exec(readme)?.[1] ?? ''));
    const played = playTurn(example, 'create a.txt', () => 'Wrote file successfully.');
    expect(played.calls[0]?.input['filePath']).toBe('/repo/a.txt');
    expect(played.lastWords).toMatch(/^Done\./);
  });

  it('or modules that tell a story', async () => {
    const text = `export default { name: 'a', rules: [{ name: 'r', run: function* (turn) {
      const [result] = yield { calls: [{ tool: 'bash', input: { command: 'ls' } }] };
      return { say: turn.prompt + ': ' + result.text };
    } }] };`;
    const script = await loadScript(file('a.mjs', text));
    expect(playTurn(script, 'Files', () => 'a b').lastWords).toBe('Files: a b');
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
  ])('name the place of a mistake: %s', async (text, place) => {
    const path = file('wrong.json', text);
    await expect(loadScript(path)).rejects.toThrow(place);
    await expect(loadScript(path)).rejects.toThrow(path);
  });

  it('say so when they cannot be read', async () => {
    await expect(loadScript(join(folder, 'none.json'))).rejects.toThrow('cannot be read');
    await expect(loadScript(join(folder, 'none.mjs'))).rejects.toThrow('cannot be loaded');
    await expect(loadScript(file('a.txt', ''))).rejects.toThrow('a script is a .json');
  });
});
