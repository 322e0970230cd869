import { type TeamEnvironment } from '../environment/team-environment.ts';
import { setupScript, stepCommands } from '../environment/team-scripts.ts';

/** The setup of a repository: the setting, its own script, or commands in its environment files. The first one wins. */
export interface SetupCommand {
  /** The command as people wrote it. */
  command: string;
  /** The command with everything it needs, such as the services of a compose file. */
  script: string;
  /** The file or setting that a person must fix when the setup fails. */
  source: string;
}

export interface SetupFacts {
  setting: string | null;
  hasOwnScript: boolean;
  team: TeamEnvironment;
}

export const SETUP_SCRIPT = '.ship/setup.sh';
export const START_SCRIPT = '.ship/start.sh';

/** The setup that replaces the commands in environment files; null when those decide. */
export function ownSetup({
  setting,
  hasOwnScript,
}: Pick<SetupFacts, 'setting' | 'hasOwnScript'>): Omit<SetupCommand, 'script'> | null {
  if (setting !== null && setting.trim() !== '')
    return { command: setting, source: 'the setup command in Settings' };
  return hasOwnScript ? { command: `bash ${SETUP_SCRIPT}`, source: SETUP_SCRIPT } : null;
}

export function chooseSetup({ team, ...facts }: SetupFacts): SetupCommand | null {
  const own = ownSetup(facts);
  if (own !== null) {
    const { command } = own;
    // Without services the command runs unwrapped, so that error messages contain its own line numbers.
    const isPlain = team.services.length === 0;
    return {
      ...own,
      script: isPlain ? command : setupScript(team, [`ship_run ${quoted(command)}`]),
    };
  }
  if (team.setupFrom === null || team.setup.length === 0) return null;
  const lines = team.setup.flatMap(({ commands }) => commands.map(({ line }) => line));
  const items = team.setup.map(({ item }) => item).join(', ');
  return {
    command: lines.join('\n'),
    script: setupScript(team, stepCommands(team, team.setup)),
    source: `${items} in ${team.setupFrom}`,
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
