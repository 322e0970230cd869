import { SAMPLE_REPOSITORY } from '@ship/demo-model/sample-repository';
import type { DemoTask } from '@ship/protocol';
import { SessionId } from '@ship/protocol/ids';
import { DEMO_MODEL, createSampleRepository } from '../demo/sample-repository.ts';

/** The task of the web app's demo; undefined when the request names no session. */
export function demoTask(dataFolder: string, name: string): DemoTask | undefined {
  const sessionId = SessionId.safeParse(name);
  if (!sessionId.success) return undefined;
  // Ids of the same time differ only at the end.
  const repository = createSampleRepository(dataFolder, sessionId.data.slice(-8));
  const { prompt } = SAMPLE_REPOSITORY;
  return {
    repository,
    title: 'Demo: fix the bookshelf',
    prompt,
    model: DEMO_MODEL,
  };
}
