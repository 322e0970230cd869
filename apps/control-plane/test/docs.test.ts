/** Compares lists in the documentation with the code, in both directions. */
import { readFileSync } from 'node:fs';
import { ERROR_CODES, httpStatusOf } from '@ship/protocol';
import { expect, it } from 'vitest';
import { API_DOCUMENT, apiMarkdown } from './api-docs.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** The names in backquotes that open the first cell of a table row. */
const firstCells = (text: string) =>
  [...text.matchAll(/^\| `([^`]+)` /gm)].map((match) => match[1] ?? '');

/** Fields of the types through which the Worker sees its environment. */
function variablesOfTheWorker(): string[] {
  const sources = ['environment.ts', 'worker.ts', 'workspace/workspace.ts', 'sandbox/services.ts'];
  const names = sources.flatMap((file) =>
    [...read(`apps/control-plane/src/${file}`).matchAll(/^ {2}([A-Z][A-Z0-9_]+)\??: /gm)].map(
      (match) => match[1] ?? '',
    ),
  );
  return [...new Set(names)].sort();
}

it('[DC1] docs/deploy.md has every variable that the Worker reads, and no other', () => {
  const variables = variablesOfTheWorker();
  expect(variables.length).toBeGreaterThan(20);
  expect(firstCells(read('docs/deploy.md')).sort()).toEqual(variables);
});

it('[DC1] the deployment knows every variable that the Worker reads, and no other', () => {
  const text = read('apps/cli/src/deploy/variables.ts');
  const names = [...text.matchAll(/'([A-Z][A-Z0-9_]+)'/g)].map((match) => match[1] ?? '');
  // The user exports the E2B key under a name that is another variable of the Worker.
  expect([...new Set(names)].sort()).toEqual(variablesOfTheWorker());
});

it('[DC2] docs/troubleshooting.md has an entry for every error code, and no other', () => {
  const entries = [...read('docs/troubleshooting.md').matchAll(/^### `([^`]+)` \((\d+)\)$/gm)];
  const documented = entries.map(([, code, status]) => `${code} ${status}`).sort();
  expect(documented).toEqual(ERROR_CODES.map((code) => `${code} ${httpStatusOf(code)}`).sort());
});

it('[DC3] docs/api.md matches the routes; `npm run api-docs -w apps/control-plane` regenerates it', async () => {
  expect(readFileSync(API_DOCUMENT, 'utf8')).toBe(await apiMarkdown());
});

it('[DC4] docs/README.md lists every document', () => {
  const index = read('docs/README.md');
  for (const name of DOCUMENTS) expect(index).toContain(`](${name})`);
});

const DOCUMENTS = [
  'getting-started.md',
  'how-it-works.md',
  'models.md',
  'repositories.md',
  'budgets.md',
  'security.md',
  'cli.md',
  'api.md',
  'self-hosting.md',
  'deploy.md',
  'troubleshooting.md',
];
