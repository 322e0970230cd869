import { fileURLToPath } from 'node:url';

/** The demo's repository: a tiny project with one failing test. Callers copy it and run `git init`. */
export const SAMPLE_REPOSITORY = {
  name: 'bookshelf',
  folder: fileURLToPath(new URL('../../sample-repository', import.meta.url)),
  prompt:
    'The last page of books is missing when it is not full, and one test fails. Please fix it.',
} as const;
