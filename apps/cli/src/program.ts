import { Command } from 'commander';
import pkg from '../package.json' with { type: 'json' };

type Register = (program: Command) => void;

/** The files of verbs/ in the order of the help, each with its verbs. */
const FILES: readonly { verbs: readonly string[]; load: () => Promise<Register> }[] = [
  { verbs: ['up'], load: async () => (await import('./verbs/up.ts')).registerUp },
  { verbs: ['run'], load: async () => (await import('./verbs/run.ts')).registerRun },
  {
    verbs: ['ls', 'show', 'logs', 'prompt', 'open'],
    load: async () => (await import('./verbs/sessions.ts')).registerSessions,
  },
  {
    verbs: ['retry', 'continue', 'update', 'stop', 'close', 'delete'],
    load: async () => (await import('./verbs/session-changes.ts')).registerSessionChanges,
  },
  { verbs: ['pr'], load: async () => (await import('./verbs/pr.ts')).registerPr },
  { verbs: ['repo'], load: async () => (await import('./verbs/repo.ts')).registerRepo },
  { verbs: ['models'], load: async () => (await import('./verbs/models.ts')).registerModels },
  { verbs: ['token'], load: async () => (await import('./verbs/token.ts')).registerToken },
  { verbs: ['setup'], load: async () => (await import('./verbs/setup.ts')).registerSetup },
  { verbs: ['setups'], load: async () => (await import('./verbs/setups.ts')).registerSetups },
  { verbs: ['allow'], load: async () => (await import('./verbs/allow.ts')).registerAllow },
  { verbs: ['github'], load: async () => (await import('./verbs/github.ts')).registerGithub },
  { verbs: ['demo'], load: async () => (await import('./verbs/demo.ts')).registerDemo },
  { verbs: ['clean'], load: async () => (await import('./verbs/clean.ts')).registerClean },
  { verbs: ['doctor'], load: async () => (await import('./verbs/doctor.ts')).registerDoctor },
  { verbs: ['deploy'], load: async () => (await import('./verbs/deploy.ts')).registerDeploy },
  { verbs: ['sandbox'], load: async () => (await import('./verbs/sandbox.ts')).registerSandbox },
  { verbs: ['forge'], load: async () => (await import('./verbs/forge.ts')).registerForge },
  {
    verbs: ['demo-model'],
    load: async () => (await import('./verbs/demo-model.ts')).registerDemoModel,
  },
  // It needs all other verbs.
  { verbs: [], load: async () => (await import('./verbs/completion.ts')).registerCompletion },
];

/** Loads only the file of the called verb, or all files without a known one. */
export async function createProgram(called?: string): Promise<Command> {
  const program = new Command('ship')
    .description('A background coding-agent platform that you own.')
    .version(pkg.version)
    .showHelpAfterError('(ship --help lists all commands)')
    .exitOverride();
  const file = FILES.find(({ verbs }) => called !== undefined && verbs.includes(called));
  for (const { load } of file === undefined ? FILES : [file]) (await load())(program);
  // Verbs do not inherit exitOverride: without it an invalid option would exit with code 1.
  for (const verb of program.commands.flatMap((command) => [command, ...command.commands])) {
    verb.exitOverride();
  }
  return program;
}
