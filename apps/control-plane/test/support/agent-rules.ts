import type { Fault, ScriptFile } from '@ship/demo-model';
import { faultRules } from '../../../demo-model/test/suites/fault-rules.ts';

const bash = (command: string) => ({ tool: 'bash', input: { command } });
const write = (path: string, content: string) => ({
  tool: 'write',
  input: { filePath: `{{folder}}/${path}`, content },
});
const edit = (path: string, oldString: string, newString: string) => ({
  tool: 'edit',
  input: { filePath: `{{folder}}/${path}`, oldString, newString },
});
const read = (path: string) => ({ tool: 'read', input: { filePath: `{{folder}}/${path}` } });
const todos = (...statuses: string[]) => ({
  tool: 'todowrite',
  input: {
    todos: statuses.map((status, index) => ({
      content: `step ${index}`,
      status,
      priority: 'high',
    })),
  },
});

/** Faults in addition to those of the scripted model's tests. */
const FAULTS: Record<string, Fault[]> = {
  'bad-request': [{ kind: 'http-error', status: 400, message: 'No such parameter' }],
  unpaid: [{ kind: 'http-error', status: 402, message: 'No credit' }],
  'empty-for-ever': [{ kind: 'empty-answer' }],
  'hang-for-ever': [{ kind: 'hang-before-headers' }],
};

/** Behaviour of the scripted model, by words of the prompt. */
export const agentRules: ScriptFile['rules'] = [
  {
    name: 'multi-step',
    when: { prompt: 'add and subtract' },
    steps: [
      {
        think: 'Look first.',
        say: 'I look around.',
        calls: [todos('in_progress', 'pending'), read('sum.js')],
      },
      { calls: [edit('sum.js', 'a - b', 'a + b'), edit('difference.js', 'a + b', 'a * b')] },
      { calls: [bash('node test.js')] },
      {
        branch: [
          { ifResult: 'wrong', calls: [edit('difference.js', 'a * b', 'a - b')] },
          { say: 'no failure?' },
        ],
      },
      { calls: [bash('node test.js'), todos('completed', 'completed')] },
      { say: 'Both work now: {{result.0}}' },
    ],
  },
  ...Object.entries(FAULTS).map(([name, faults]) => ({
    name,
    when: { prompt: `fault ${name}` },
    steps: [{ faults, say: 'recovered and complete' }],
  })),
  ...faultRules,
  {
    name: 'cut-at-length',
    when: { prompt: 'write a novel' },
    steps: [{ say: 'Once upon a', finish: 'length' }],
  },
  {
    name: 'long-command',
    when: { prompt: 'long command' },
    steps: [
      {
        say: 'I wait.',
        calls: [bash('echo started >> log.txt; test -f go || sleep 120; echo ended >> log.txt')],
      },
      { say: 'long command is done' },
    ],
  },
  {
    name: 'delegate',
    when: { prompt: 'delegate' },
    steps: [
      {
        calls: ['a', 'b'].map((name) => ({
          tool: 'task',
          input: {
            description: `child ${name}`,
            prompt: `child task ${name}`,
            subagent_type: 'general',
          },
        })),
      },
      { say: 'all done' },
    ],
  },
  {
    name: 'child',
    when: { prompt: { regex: 'child task (\\w)' } },
    steps: [{ calls: [bash('echo I am {{match.1}}')] }, { say: 'child {{match.1}} is done' }],
  },
  {
    name: 'ask',
    when: { prompt: 'ask me' },
    steps: [
      {
        calls: [
          {
            tool: 'question',
            input: {
              questions: [
                {
                  question: 'Which colour?',
                  header: 'Colour',
                  options: ['red', 'blue'].map((label) => ({
                    label,
                    description: `really ${label}`,
                  })),
                },
              ],
            },
          },
        ],
      },
      { say: 'You said: {{result.0}}' },
    ],
  },
  {
    name: 'careful',
    when: { prompt: 'be careful' },
    steps: [{ calls: [bash('echo careful')] }, { say: 'It said: {{result.0}}' }],
  },
  {
    name: 'sandbox',
    when: { prompt: 'use the sandbox' },
    steps: [
      {
        calls: [
          { tool: 'read', input: { filePath: '/etc/os-release' } },
          { tool: 'write', input: { filePath: '/tmp/notes/one.txt', content: 'noted\n' } },
          { tool: 'grep', input: { pattern: 'define', path: '/usr/include', include: 'stdio.h' } },
          bash('ls /usr/include > /dev/null; cat /etc/hostname > /tmp/name.txt; cd /tmp && pwd'),
        ],
      },
      {
        calls: [
          { tool: 'read', input: { filePath: '/tmp/notes/one.txt' } },
          {
            tool: 'edit',
            input: { filePath: '/tmp/notes/one.txt', oldString: 'noted', newString: 'changed' },
          },
        ],
      },
      { say: 'used' },
    ],
  },
  {
    name: 'control-files',
    when: { prompt: 'touch the control files' },
    steps: [
      {
        calls: [{ tool: 'write', input: { filePath: '/home/user/.ship/agent/pid', content: '1' } }],
      },
      { calls: [{ tool: 'read', input: { filePath: '/home/user/.ship/agent/log' } }] },
      { say: 'I heard: {{result.0}}' },
    ],
  },
  {
    name: 'plan',
    when: { prompt: 'make a plan' },
    steps: [
      { calls: [read('README.md'), write('sneaky.txt', 'no')] },
      { say: '1. Read.\n2. Write.' },
    ],
  },
  {
    name: 'print',
    when: { prompt: 'print a lot' },
    // OpenCode stops reading when a command ends: without the sleep it may miss output.
    steps: [{ calls: [bash('seq 1 60000; sleep 2')] }, { say: 'printed' }],
  },
  {
    name: 'endless',
    when: { prompt: 'go on forever' },
    // Realistic steps take seconds: steps of milliseconds could end before an abort reaches a busy agent.
    steps: [{ repeat: 40, calls: [bash('sleep 1; date +%N')] }, { say: 'x' }],
  },
  {
    name: 'loop',
    when: { prompt: 'repeat yourself' },
    steps: [{ repeat: 40, calls: [bash('echo same')] }, { say: 'x' }],
  },
  {
    name: 'failing',
    when: { prompt: 'keep failing' },
    steps: [{ repeat: 40, calls: [edit('README.md', 'no such text', 'x')] }, { say: 'x' }],
  },
  {
    name: 'steps',
    when: { prompt: 'count to four' },
    steps: [
      ...['one', 'two', 'three', 'four'].map((word) => ({
        say: `${word}.`,
        calls: [bash(`echo ${word} >> count.txt`)],
      })),
      { say: 'counted' },
    ],
  },
  {
    name: 'count-slowly',
    when: { prompt: 'count slowly' },
    steps: [
      ...['one', 'two', 'three', 'four'].map((word) => ({
        say: `${word}.`,
        calls: [bash(`sleep 0.7; echo ${word} >> count.txt`)],
      })),
      { say: 'counted' },
    ],
  },
  { name: 'hello', when: { prompt: 'hello' }, steps: [{ say: 'Hello, it is me.' }] },
];
