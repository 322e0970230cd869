import { treeMs } from './processor-time.ts';

/** Annotations that carry processor time in milliseconds from the worker of a test to the reporter. */
export const TEST_PROCESSOR_TIME = 'processor time of the test';
/** Since the test before it ended, or since the worker started: imports, the Ship that all its tests share. */
export const SETUP_PROCESSOR_TIME = 'processor time before the test';

interface TestInfo {
  annotations: { type: string; description?: string }[];
}

let seenMs = 0;

function spentMs(): string {
  const nowMs = treeMs(process.pid);
  const newMs = Math.max(0, nowMs - seenMs);
  seenMs = nowMs;
  return String(newMs);
}

/** An automatic fixture: the worker with its Ship and its browser, only for `npm test -- --timings`. */
export async function measureProcessorTime(
  use: () => Promise<void>,
  { annotations }: TestInfo,
): Promise<void> {
  if (process.env.SHIP_TEST_TIMINGS === undefined) return use();
  annotations.push({ type: SETUP_PROCESSOR_TIME, description: spentMs() });
  await use();
  annotations.push({ type: TEST_PROCESSOR_TIME, description: spentMs() });
}
