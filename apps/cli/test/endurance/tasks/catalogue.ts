/** Ten small tasks of different kinds, each with its files, the agent's changes, and its tests. */

export interface Task {
  name: string;
  language: 'javascript' | 'typescript' | 'python';
  kind: 'fix' | 'feature' | 'refactor' | 'docs';
  prompt: string;
  files: Record<string, string>;
  /** Changes within files: path, old text, new text. */
  edits: [path: string, before: string, after: string][];
  /** Whole files. */
  writes: Record<string, string>;
  /** Whether its tests pass before the work. */
  passesBefore: boolean;
}

const node = (name: string, more: Record<string, string>) => ({
  'package.json': `${JSON.stringify({ name, version: '1.0.0', type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'README.md': `# ${name}\n`,
  ...more,
});
const python = (name: string, more: Record<string, string>) => ({
  'pyproject.toml': `[project]\nname = "${name}"\nversion = "1.0.0"\n`,
  'README.md': `# ${name}\n`,
  ...more,
});
const nodeTest = (imports: string, ...checks: string[]) =>
  `import test from 'node:test';\nimport assert from 'node:assert/strict';\n${imports}\n\ntest('it holds', () => {\n${checks.map((check) => `  ${check};`).join('\n')}\n});\n`;
const pythonTest = (imports: string, ...checks: string[]) =>
  `import unittest\n${imports}\n\n\nclass Holds(unittest.TestCase):\n    def test_it_holds(self):\n${checks.map((check) => `        ${check}`).join('\n')}\n\n\nif __name__ == "__main__":\n    unittest.main()\n`;

export const TASKS: readonly Task[] = [
  {
    name: 'range',
    language: 'javascript',
    kind: 'fix',
    prompt: 'Task range: the last number is missing.',
    files: node('range', {
      'range.js':
        'export const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);\n',
      'range.test.js': nodeTest(
        "import { range } from './range.js';",
        'assert.deepEqual(range(1, 3), [1, 2, 3])',
      ),
    }),
    edits: [['range.js', 'length: to - from', 'length: to - from + 1']],
    writes: {},
    passesBefore: false,
  },
  {
    name: 'slug',
    language: 'javascript',
    kind: 'feature',
    prompt: 'Task slug: add a function that makes a slug of a title.',
    files: node('slug', {
      'text.js': 'export const trim = (text) => text.trim();\n',
      'text.test.js': nodeTest(
        "import { trim } from './text.js';",
        "assert.equal(trim(' a '), 'a')",
      ),
    }),
    edits: [],
    writes: {
      'slug.js':
        "import { trim } from './text.js';\n\nexport const slug = (title) => trim(title).toLowerCase().replace(/[^a-z0-9]+/g, '-');\n",
      'slug.test.js': nodeTest(
        "import { slug } from './slug.js';",
        "assert.equal(slug(' Two Words '), 'two-words')",
      ),
    },
    passesBefore: true,
  },
  {
    name: 'split',
    language: 'javascript',
    kind: 'refactor',
    prompt: 'Task split: move the area of a circle to a new module.',
    files: node('split', {
      'shapes.js':
        'export const square = (a) => a * a;\nexport const circle = (r) => Math.PI * r * r;\n',
      'shapes.test.js': nodeTest(
        "import { circle, square } from './shapes.js';",
        'assert.equal(square(2), 4)',
        'assert.equal(circle(1), Math.PI)',
      ),
    }),
    edits: [
      [
        'shapes.js',
        'export const circle = (r) => Math.PI * r * r;',
        "export { circle } from './circle.js';",
      ],
    ],
    writes: { 'circle.js': 'export const circle = (r) => Math.PI * r * r;\n' },
    passesBefore: true,
  },
  {
    name: 'usage',
    language: 'javascript',
    kind: 'docs',
    prompt: 'Task usage: say in the README how it is used.',
    files: node('usage', {
      'clamp.js': 'export const clamp = (n, low, high) => Math.min(high, Math.max(low, n));\n',
      'clamp.test.js': nodeTest(
        "import { clamp } from './clamp.js';",
        'assert.equal(clamp(9, 0, 5), 5)',
      ),
    }),
    edits: [['README.md', '# usage\n', '# usage\n\n`clamp(9, 0, 5)` is 5.\n']],
    writes: {},
    passesBefore: true,
  },
  {
    name: 'duration',
    language: 'typescript',
    kind: 'fix',
    prompt: 'Task duration: minutes are counted as seconds.',
    files: node('duration', {
      'duration.ts':
        'const UNIT_MS: Record<string, number> = { s: 1_000, m: 1_000 };\n\nexport function durationMs(text: string): number {\n  return Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? Number.NaN);\n}\n',
      'duration.test.ts': nodeTest(
        "import { durationMs } from './duration.ts';",
        "assert.equal(durationMs('2m'), 120_000)",
      ),
    }),
    edits: [['duration.ts', 'm: 1_000', 'm: 60_000']],
    writes: {},
    passesBefore: false,
  },
  {
    name: 'lru',
    language: 'typescript',
    kind: 'feature',
    prompt: 'Task lru: the cache is to forget what was not used for longest.',
    files: node('lru', {
      'cache.ts':
        'export class Cache<Value> {\n  readonly #entries = new Map<string, Value>();\n  readonly #size: number;\n\n  constructor(size: number) {\n    this.#size = size;\n  }\n\n  get(key: string): Value | undefined {\n    return this.#entries.get(key);\n  }\n\n  set(key: string, value: Value): void {\n    this.#entries.set(key, value);\n  }\n\n  get isFull(): boolean {\n    return this.#entries.size >= this.#size;\n  }\n}\n',
      'cache.test.ts': nodeTest(
        "import { Cache } from './cache.ts';",
        'const cache = new Cache<number>(1)',
        "cache.set('a', 1)",
        "cache.set('b', 2)",
        "assert.equal(cache.get('a'), undefined)",
        "assert.equal(cache.get('b'), 2)",
      ),
    }),
    edits: [
      [
        'cache.ts',
        '    this.#entries.set(key, value);\n',
        '    const [oldest] = this.#entries.keys();\n    if (this.isFull && oldest !== undefined) this.#entries.delete(oldest);\n    this.#entries.set(key, value);\n',
      ],
    ],
    writes: {},
    passesBefore: false,
  },
  {
    name: 'rename',
    language: 'typescript',
    kind: 'refactor',
    prompt: 'Task rename: say in its name that the price is in cents.',
    files: node('rename', {
      'cart.ts': 'export const total = (price: number, count: number): number => price * count;\n',
      'cart.test.ts': nodeTest(
        "import { total } from './cart.ts';",
        'assert.equal(total(250, 2), 500)',
      ),
    }),
    edits: [
      [
        'cart.ts',
        '(price: number, count: number): number => price * count',
        '(priceCents: number, count: number): number => priceCents * count',
      ],
    ],
    writes: {},
    passesBefore: true,
  },
  {
    name: 'median',
    language: 'python',
    kind: 'fix',
    prompt: 'Task median: of an even number of values it is wrong.',
    files: python('median', {
      'median.py': 'def median(values):\n    return sorted(values)[len(values) // 2]\n',
      'test_median.py': pythonTest(
        'from median import median',
        'self.assertEqual(median([4, 1, 3, 2]), 2.5)',
        'self.assertEqual(median([3, 1, 2]), 2)',
      ),
    }),
    edits: [
      [
        'median.py',
        '    return sorted(values)[len(values) // 2]\n',
        '    ordered = sorted(values)\n    middle = len(ordered) // 2\n    if len(ordered) % 2 == 1:\n        return ordered[middle]\n    return (ordered[middle - 1] + ordered[middle]) / 2\n',
      ],
    ],
    writes: {},
    passesBefore: false,
  },
  {
    name: 'roman',
    language: 'python',
    kind: 'feature',
    prompt: 'Task roman: add Roman numerals.',
    files: python('roman', {
      'numerals.py': 'def tally(number):\n    return "|" * number\n',
      'test_numerals.py': pythonTest(
        'from numerals import tally',
        'self.assertEqual(tally(3), "|||")',
      ),
    }),
    edits: [],
    writes: {
      'roman.py':
        'VALUES = {10: "X", 9: "IX", 5: "V", 4: "IV", 1: "I"}\n\n\ndef roman(number):\n    text = ""\n    for value, sign in VALUES.items():\n        while number >= value:\n            text += sign\n            number -= value\n    return text\n',
      'test_roman.py': pythonTest('from roman import roman', 'self.assertEqual(roman(14), "XIV")'),
    },
    passesBefore: true,
  },
  {
    name: 'docstring',
    language: 'python',
    kind: 'docs',
    prompt: 'Task docstring: describe the function and show its use.',
    files: python('docstring', {
      'words.py': 'def words(text):\n    return text.split()\n',
      'test_words.py': pythonTest(
        'from words import words',
        'self.assertEqual(words("a b"), ["a", "b"])',
      ),
    }),
    edits: [
      [
        'words.py',
        'def words(text):\n',
        'def words(text):\n    """The words of a text, in order."""\n',
      ],
      ['README.md', '# docstring\n', '# docstring\n\n`words("a b")` is `["a", "b"]`.\n'],
    ],
    writes: {},
    passesBefore: true,
  },
];
