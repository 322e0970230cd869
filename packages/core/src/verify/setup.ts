import { type TeamEnvironment } from '../environment/team-environment.ts';
import { setupScript, stepCommands } from '../environment/team-scripts.ts';

/** What prepares a repository for work: the setting, its own script, or what a file of its team runs. First one wins. */
export interface SetupCommand {
  /** As people wrote it. */
  command: string;
  /** The same with what it needs around it, such as the services of a compose file. */
  script: string;
  /** What a person has to fix when it fails. */
  source: string;
}

export interface SetupFacts {
  setting: string | null;
  hasOwnScript: boolean;
  team: TeamEnvironment;
}

export const SETUP_SCRIPT = '.ship/setup.sh';
export const START_SCRIPT = '.ship/start.sh';

/** What prepares the repository in place of its team's files; null when they decide. */
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
    // Without services the command itself runs: an error message then names its own lines.
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
