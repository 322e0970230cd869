import { ModelRef, StepLimit } from '@ship/protocol';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { withClientOptions } from '../client/client-options.ts';
import type { RunOptions } from '../sessions/run.ts';

export function registerRun(program: Command): void {
  withClientOptions(
    program.command('run').description('give an agent a task; a draft pull request comes back'),
  )
    .argument('<task>', 'what to do')
    .option('--repo <path|url>', 'repository to work on', '.')
    .option('--base <branch>', 'branch to start from (default: the repository’s default)')
    .option('--branch <name>', 'name of the new branch (default: Ship chooses)')
    .option('--model <provider/model>', 'model to use (default: from the settings)', parseModel)
    .addOption(
      new Option('--mode <mode>', 'plan: only read and propose; a person decides')
        .choices(['build', 'plan'])
        .default('build'),
    )
    .option('--budget <usd>', 'maximum cost in US dollars', parseBudget)
    .option('--steps <number>', 'steps that the agent may take in one turn', parseSteps)
    .option('--allow-failing-tests', 'with --wait: exit code 0 also when the work breaks tests')
    .option('--wait', 'wait until the agent is done: exit code 0 done, 1 failed, 3 needs a person')
    .action(async (task: string, options: RunOptions) => {
      const { runTask } = await import('../sessions/run.ts');
      await runTask(task, options);
    });
}

function parseModel(text: string): string {
  if (ModelRef.safeParse(text).success) return text;
  throw new InvalidArgumentError('It must look like provider/model.');
}

export function parseSteps(text: string): number {
  const parsed = StepLimit.safeParse(Number(text));
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('It must be a number from 1 to 1000.');
}

function parseBudget(text: string): number {
  const usd = Number(text.replace(/^\$/, ''));
  if (Number.isFinite(usd) && usd > 0 && usd <= 1_000_000) return usd;
  throw new InvalidArgumentError('It must be an amount in dollars, like 2.50.');
}
