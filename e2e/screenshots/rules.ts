/** The script of the demo model for the pictures: endless work, a question, a plan and a refused key. */
import type { ScriptFile } from '@ship/demo-model';

const bash = (command: string, timeoutMs?: number) => ({
  tool: 'bash',
  input: { command, ...(timeoutMs !== undefined && { timeout: timeoutMs }) },
});
const read = (path: string) => ({ tool: 'read', input: { filePath: `{{folder}}/${path}` } });
const edit = (path: string, oldString: string, newString: string) => ({
  tool: 'edit',
  input: { filePath: `{{folder}}/${path}`, oldString, newString },
});
const todos = (done: number) => ({
  tool: 'todowrite',
  input: {
    todos: [
      'Read how the page lists its products',
      'Filter the list while the user types',
      'Show a message when nothing matches',
      'Run the tests',
    ].map((content, index) => ({
      content,
      status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
      priority: 'medium',
    })),
  },
});

const option = (label: string, description: string) => ({ label, description });

/** Long enough for a command to run while all pictures are taken. */
const AT_WORK_SECONDS = 900;

/** A setup that keeps running. */
export const SETUP_SCRIPT = {
  name: 'setup.sh',
  text: `echo "setting up the lamps"; sleep ${AT_WORK_SECONDS}\n`,
  command: 'sh setup.sh',
} as const;

export const TASKS = {
  finished: 'Write down in the README how this project is tested, and where',
  search: 'Add a search box to the product page that filters while I type',
  question: 'Let people export their wish list',
  plan: 'Move the prices to integer cents',
  error: 'Describe the release process in the README',
  booting: 'Show when a lamp was last switched on',
} as const;

/** Steps count when they end; the tests run in the next step. */
export const STEPS_BEFORE_TESTS = 3;
const TESTS_AT_WORK = `for n in $(seq 1 9); do echo "ok $n - shop: case $n"; sleep 0.2; done; sleep ${AT_WORK_SECONDS}`;

export const PICTURE_SCRIPT: ScriptFile = {
  name: 'pictures',
  otherwise: 'general',
  rules: [
    {
      name: 'search',
      when: { prompt: TASKS.search },
      steps: [
        {
          think:
            'One function renders the list. The filter belongs before it, so that the rendering stays unchanged.',
          say: 'Let me look at how the page lists its products first.',
          calls: [todos(0), read('shop.js'), read('index.html')],
        },
        {
          say: 'The list is rendered in one place, `shop.js`. I’ll add a filter before it and leave the rendering alone.',
          calls: [
            todos(1),
            edit(
              'shop.js',
              'export const names = (products) => products.map(({ name }) => name);',
              'export const names = (products) => products.map(({ name }) => name);\n\n/** Products whose name contains the typed text, ignoring case. */\nexport function search(products, typed) {\n  const wanted = typed.trim().toLowerCase();\n  return products.filter(({ name }) => name.toLowerCase().includes(wanted));\n}',
            ),
          ],
        },
        {
          calls: [
            todos(2),
            edit(
              'index.html',
              '<ul id="products"></ul>',
              '<label>Search <input id="search" type="search" autocomplete="off" /></label>\n    <ul id="products"></ul>\n    <p id="nothing" hidden>No product has that in its name.</p>',
            ),
          ],
        },
        { say: 'Now the tests.', calls: [todos(3), bash(TESTS_AT_WORK, AT_WORK_SECONDS * 1000)] },
        { say: 'Done.' },
      ],
    },
    {
      name: 'question',
      when: { prompt: TASKS.question },
      steps: [
        { say: 'Before I build this, I need one decision from you.', calls: [read('shop.js')] },
        {
          calls: [
            {
              tool: 'question',
              input: {
                questions: [
                  {
                    question: 'Which format should the exported wish list have?',
                    header: 'Format',
                    options: [
                      option('CSV', 'Opens in any spreadsheet; no pictures'),
                      option('PDF', 'Looks the same everywhere; needs one new dependency'),
                      option('Both', 'CSV first, PDF as a second pull request'),
                    ],
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
      name: 'plan',
      when: { prompt: TASKS.plan },
      steps: [
        { calls: [read('shop.js'), bash('grep -rn price . --include=*.js')] },
        {
          say: [
            'Prices are floating-point numbers today, and sums of them drift (`0.1 + 0.2`).',
            '',
            '1. **`shop.js`**: keep `priceCents` (an integer) and drop `price`.',
            '2. **`total()`**: add integers; round once, where a discount is applied.',
            '3. **`formatPrice()`**: the only place that divides by 100.',
            '4. **Tests**: a cart of ten items at 0.10 costs exactly 1.00.',
            '',
            'Nothing else reads a price. No migration: the list is in the code.',
          ].join('\n'),
        },
      ],
    },
    {
      name: 'error',
      when: { prompt: TASKS.error },
      steps: [{ faults: [{ kind: 'unauthorized' }], say: 'never' }],
    },
  ],
};
