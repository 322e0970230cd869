/** One rule per fault: the prompt names the fault, and the answer after it is "recovered". */
import type { Fault, ScriptFile } from '../../src/index.ts';

const FAULTS: Record<string, Fault[]> = {
  'rate-limit-short': [{ kind: 'rate-limit', retryAfterSec: 1, times: 1 }],
  'rate-limit-hours': [{ kind: 'rate-limit', retryAfterSec: 7200 }],
  'server-error': [{ kind: 'server-error', times: 1 }],
  unauthorized: [{ kind: 'unauthorized' }],
  'http-error': [{ kind: 'http-error', status: 403, message: 'No access to this model' }],
  'hang-before-headers': [{ kind: 'hang-before-headers', times: 1 }],
  'hang-mid-stream': [{ kind: 'hang-mid-stream', afterFragments: 2, times: 1 }],
  'cut-stream': [{ kind: 'cut-stream', afterFragments: 2, times: 1 }],
  'malformed-json': [{ kind: 'malformed-json', afterFragments: 2, times: 1 }],
  'malformed-sse': [{ kind: 'malformed-sse', afterFragments: 2, times: 1 }],
  'error-in-stream': [{ kind: 'error-in-stream', afterFragments: 2, times: 1 }],
  'empty-answer': [{ kind: 'empty-answer', times: 1 }],
  'slow-drip': [{ kind: 'slow-drip', everyMs: 200 }],
};

/** A short answer would end before an abort reaches a busy agent. */
const ANSWERS: Record<string, string> = {
  'slow-drip': `recovered and complete, ${'word by word '.repeat(100)}`,
};

const echo = (text: string) => ({ tool: 'bash', input: { command: `echo ${text}` } });

export const faultRules: ScriptFile['rules'] = [
  ...Object.entries(FAULTS).map(([name, faults]) => ({
    name,
    when: { prompt: `fault ${name}` },
    steps: [{ faults, say: ANSWERS[name] ?? 'recovered and complete, word by word to the end' }],
  })),
  {
    name: 'bad-tool-json',
    when: { prompt: 'fault bad-tool-json' },
    steps: [
      { faults: [{ kind: 'bad-tool-json' }], calls: [echo('never')] },
      { say: 'recovered and complete' },
    ],
  },
  {
    name: 'context-overflow',
    when: { prompt: 'fault context-overflow' },
    steps: [
      { calls: [echo('one')] },
      { calls: [echo('two'), echo('three')] },
      { faults: [{ kind: 'context-overflow', times: 1 }], calls: [echo('four > four.txt')] },
      { say: 'recovered and complete' },
    ],
  },
];
