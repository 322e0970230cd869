import { afterAll } from 'vitest';

/**
 * Workers keep support modules for the next test file: a hook at their top level would belong to the first file alone,
 * and a hook that is registered within a test to none. This list runs after each file.
 */
const tasks: (() => unknown)[] = [];

export function atEndOfFile(task: () => unknown): void {
  tasks.push(task);
}

/** Called once per file, by the setup file. */
export function workOffEndOfFile(): void {
  afterAll(async () => {
    const results = await Promise.allSettled(
      tasks
        .splice(0)
        .toReversed()
        .map(async (task) => task()),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  });
}
