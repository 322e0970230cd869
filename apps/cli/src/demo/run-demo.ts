import { SAMPLE_REPOSITORY } from '@ship/demo-model/sample-repository';
import { type ClientOptions, whileServerStarts } from '../client/with-server.ts';
import { paintDiff } from '../progress/diff.ts';
import { duration } from '../progress/text.ts';
import type { RunResult } from '../result/result.ts';
import { dataFolderAt } from '../paths.ts';
import { DEMO_MODEL, changesOf, createSampleRepository } from './sample-repository.ts';

/** `ship demo`: a real sandbox, agent, git and pull request with a scripted model. */
export async function runDemo(options: ClientOptions): Promise<void> {
  const startedAtMs = Date.now();
  const json = options.json ?? false;
  const prepare = async () => {
    const folder = createSampleRepository(dataFolderAt(options.data));
    if (!json) process.stdout.write(`${folder}: a small repository with one failing test\n`);
    return { folder, ...(await import('../sessions/start-session.ts')) };
  };
  await whileServerStarts(options, prepare, async (server, { folder, startSession, finish }) => {
    const request = {
      repository: folder,
      prompt: SAMPLE_REPOSITORY.prompt,
      base: null,
      branch: null,
      model: DEMO_MODEL,
      budgetUsd: null,
      maxStepsPerTurn: null,
      mode: 'build',
      source: 'cli',
    } as const;
    const result = await startSession(server, { request, mustWait: true, json, startedAtMs });
    if (!json && result !== undefined) process.stdout.write(`\n${describe(folder, result)}\n`);
    finish(result, json, server);
    if (!json && result?.status === 'done') process.stdout.write(`\n${nextSteps(folder, result)}`);
  });
}

function describe(folder: string, { base, branch, timings }: RunResult): string {
  const stages = [
    ['sandbox', timings.sandboxReadyMs],
    ['clone', timings.cloneMs],
    ['agent', timings.agentReadyMs],
    ['first token', timings.firstTokenMs],
    ['model time', timings.modelMs],
    ['pull request', timings.pullRequestMs],
  ] as const;
  const times = stages.flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${duration(ms)}`]));
  const diff = base === null || branch === null ? '' : changesOf(folder, base, branch);
  return `${paintDiff(diff)}${times.join(', ')}`;
}

function nextSteps(folder: string, { sessionId, branch }: RunResult): string {
  const where = branch === null ? '' : `The change is on the branch ${branch} of ${folder}.\n`;
  return `${where}Next steps:
  ship show ${sessionId}
  ship pr diff ${sessionId}
  ship run --repo PATH "what to do"     with your own model: ship models
`;
}
