import * as z from 'zod';

/** One line of text: control characters in a title or a name would break logs, terminals and git. */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u, 'must be one line of text');

/** A branch, as `git check-ref-format --branch` accepts it. */
export const BranchName = z
  .string()
  .min(1)
  .max(200)
  .regex(
    // No "..", "@{", "//", no component that starts with "." or ends with ".lock", no leading "-".
    /^(?![-/.])(?!.*(\.\.|@\{|\/\/|\/\.|\.lock(\/|$)))[^\p{Cc}\p{Cs}\s~^:?*[\]\\]*[^\p{Cc}\p{Cs}\s~^:?*[\]\\/.]$/u,
    'must be a valid branch name',
  );

/** Where a repository is cloned from: a URL or, on one machine, an absolute path. */
export const RepositoryLocation = line(2000);

/** Number of items on one page of a list. */
export const PageLimit = z.coerce.number().int().min(1).max(200).default(50);
