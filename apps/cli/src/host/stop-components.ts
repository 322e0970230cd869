export interface Stoppable {
  name: string;
  stop: () => Promise<void> | void;
}

/**
 * Stops all components, even if one fails: a failure must not keep the others, and so the process, alive. Each failure becomes
 * one line: after a deleted data folder, for example, a stack trace does not help the user.
 */
export async function stopComponents(components: readonly Stoppable[]): Promise<string[]> {
  const stopped = await Promise.allSettled(components.map(async ({ stop }) => stop()));
  return stopped.flatMap((result, index) =>
    result.status === 'fulfilled'
      ? []
      : [
          `${components[index]?.name ?? 'a component'} did not stop cleanly: ${reasonOf(result.reason)}`,
        ],
  );
}

function reasonOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.split('\n')[0] ?? text;
}
