export interface Stoppable {
  name: string;
  stop: () => Promise<void> | void;
}

/**
 * Stops everything, whatever happens to one of them: a part that fails must not keep the others, and so the process, alive.
 * Failures become one line each: a stack trace tells the user of a deleted data folder nothing.
 */
export async function stopParts(parts: readonly Stoppable[]): Promise<string[]> {
  const stopped = await Promise.allSettled(parts.map(async ({ stop }) => stop()));
  return stopped.flatMap((result, index) =>
    result.status === 'fulfilled'
      ? []
      : [`${parts[index]?.name ?? 'a part'} did not stop cleanly: ${reasonOf(result.reason)}`],
  );
}

function reasonOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.split('\n')[0] ?? text;
}
