/** The user's repository, and what the scripted model does in it. */
export const TASK = 'The total ignores the quantity of an item. Fix it.';

const BROKEN = `export function total(items) {
  return items.reduce((sum, item) => sum + item.price, 0);
}
`;
const FIXED = BROKEN.replace('item.price', 'item.price * item.quantity');

export const FILES: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }, undefined, 2)}\n`,
  'cart.js': BROKEN,
  'cart.test.js': `import test from 'node:test';
import { equal } from 'node:assert/strict';
import { total } from './cart.js';

test('two apples cost twice as much as one', () => {
  equal(total([{ price: 3, quantity: 2 }]), 6);
});
`,
};

/** In the format of `ship demo-model serve --script`. */
export const SCRIPT = {
  name: 'walkthrough',
  models: [
    {
      id: 'careful-1',
      contextTokens: 100_000,
      outputTokens: 8_000,
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    },
  ],
  rules: [
    {
      name: 'mend',
      when: { prompt: 'ignores the quantity' },
      steps: [
        {
          say: 'I run the tests first.',
          calls: [
            { tool: 'bash', input: { command: 'npm test', description: 'Run the tests' } },
            { tool: 'read', input: { filePath: '{{folder}}/cart.js' } },
          ],
        },
        {
          say: 'The sum leaves the quantity out.',
          calls: [{ tool: 'write', input: { filePath: '{{folder}}/cart.js', content: FIXED } }],
        },
        {
          calls: [{ tool: 'bash', input: { command: 'npm test', description: 'Run them again' } }],
        },
        { say: 'The total now multiplies price and quantity; the test passes.' },
      ],
    },
  ],
  otherwise: 'general',
};
