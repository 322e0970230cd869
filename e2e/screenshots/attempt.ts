/** The other pictures are worth having; the run as a whole has failed. */
export async function attempt(name: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${name}: ${String(error)}\n`);
    process.exitCode = 1;
  }
}
