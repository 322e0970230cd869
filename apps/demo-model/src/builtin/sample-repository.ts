import { fileURLToPath } from 'node:url';

/** The repository of the demo: a tiny project with one failing test. It is copied and made a git repository by its user. */
export const SAMPLE_REPOSITORY = {
  name: 'bookshelf',
  folder: fileURLToPath(new URL('../../sample-repository', import.meta.url)),
  prompt:
    'The last page of books is missing when it is not full, and one test fails. Please fix it.',
} as const;
