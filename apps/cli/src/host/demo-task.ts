import { SAMPLE_REPOSITORY } from '@ship/demo-model/sample-repository';
import type { DemoTask } from '@ship/protocol';
import { SessionId } from '@ship/protocol/ids';
import { DEMO_MODEL, makeSampleRepository } from '../demo/sample-repository.ts';

/** What the page's demo works on; undefined when the request names no session. */
export function demoTask(dataFolder: string, name: string): DemoTask | undefined {
  const sessionId = SessionId.safeParse(name);
  if (!sessionId.success) return undefined;
  // The end of an id is what differs between two of them.
  const repository = makeSampleRepository(dataFolder, sessionId.data.slice(-8));
  const { prompt } = SAMPLE_REPOSITORY;
  return {
    repository,
    title: 'Demo: mend the bookshelf',
    prompt,
    model: DEMO_MODEL,
  };
}
