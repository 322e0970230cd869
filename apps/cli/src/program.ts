import { Command } from 'commander';
import pkg from '../package.json' with { type: 'json' };
import { registerCompletion } from './verbs/completion.ts';
import { registerDemo } from './verbs/demo.ts';
import { registerDemoModel } from './verbs/demo-model.ts';
import { registerDeploy } from './verbs/deploy.ts';
import { registerDoctor } from './verbs/doctor.ts';
import { registerForge } from './verbs/forge.ts';
import { registerGithub } from './verbs/github.ts';
import { registerModels } from './verbs/models.ts';
import { registerPr } from './verbs/pr.ts';
import { registerRun } from './verbs/run.ts';
import { registerSandbox } from './verbs/sandbox.ts';
import { registerSessions } from './verbs/sessions.ts';
import { registerToken } from './verbs/token.ts';
import { registerUp } from './verbs/up.ts';

export function createProgram(): Command {
  const program = new Command('ship')
    .description('A background coding-agent platform that you own.')
    .version(pkg.version)
    .showHelpAfterError('(ship --help shows what there is)')
    .exitOverride();
  registerUp(program);
  registerRun(program);
  registerSessions(program);
  registerPr(program);
  registerModels(program);
  registerToken(program);
  registerGithub(program);
  registerDemo(program);
  registerDoctor(program);
  registerDeploy(program);
  registerSandbox(program);
  registerForge(program);
  registerDemoModel(program);
  registerCompletion(program);
  // A verb does not inherit exitOverride: without it a bad option would end the process with code 1.
  for (const verb of program.commands.flatMap((command) => [command, ...command.commands])) {
    verb.exitOverride();
  }
  return program;
}
