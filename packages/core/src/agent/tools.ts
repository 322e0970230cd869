import {
  type AgentServer,
  type AgentSettings,
  type MissingServer,
  TOOL_SERVER_LIMITS,
  secretsIn,
  withSecrets,
} from '@ship/protocol';
import { SHIP_INSTRUCTIONS } from '../verify/own-estimate.ts';

/** The inputs that decide which instructions, skills and servers one session's agent gets. */
export interface AgentGrant {
  settings: AgentSettings;
  /** Instructions from the repository's settings; null without any. */
  repositoryInstructions: string | null;
  /** Values of the secrets that the servers refer to, as far as they exist. */
  secrets: Readonly<Record<string, string>>;
}

type OpenServer =
  | { kind: 'local'; command: [string, ...string[]]; env: Record<string, string> }
  | { kind: 'remote'; url: string; headers: Record<string, string> };

export interface AgentTools {
  instructions: { name: string; text: string }[];
  skills: { name: string; text: string }[];
  servers: Record<string, OpenServer>;
  /** Servers that cannot be started. */
  missing: MissingServer[];
}

/** Limit for all servers with their secrets: they are passed in one variable, and a longer one would break the agent's start. */
const MAX_SERVERS_CHARACTERS = 64_000;

/** The secrets that the grant of these settings needs. */
export function secretsNeeded({ servers }: AgentSettings): string[] {
  const texts = servers.filter(({ isEnabled }) => isEnabled).flatMap(textsOf);
  return [...new Set(texts.flatMap(secretsIn))];
}

/**
 * The agent's instructions, skills and servers, without those that are switched off. A server whose secret is missing is left
 * out and named, and the work continues without it. The list of instructions has the same names for every repository, so
 * that a prewarmed agent can serve any of them without a restart.
 */
export function agentTools({ settings, repositoryInstructions, secrets }: AgentGrant): AgentTools {
  const tools: AgentTools = {
    instructions: [
      { name: 'ship', text: SHIP_INSTRUCTIONS },
      { name: 'workspace', text: settings.instructions },
      { name: 'repository', text: repositoryInstructions ?? '' },
    ],
    skills: settings.skills
      .filter(({ isEnabled }) => isEnabled)
      .map(({ name, description, text }) => ({
        name,
        // Every JSON string is a valid YAML string.
        text: `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n${text}\n`,
      })),
    servers: {},
    missing: [],
  };
  let characters = 0;
  for (const server of settings.servers.filter(({ isEnabled }) => isEnabled)) {
    const absent = textsOf(server)
      .flatMap(secretsIn)
      .find((name) => !Object.hasOwn(secrets, name));
    if (absent !== undefined) {
      const reason = `The secret ${absent} does not exist or cannot be read. Set it, or remove it from the server's settings.`;
      tools.missing.push({ name: server.name, reason });
      continue;
    }
    const open = openServer(server, (name) => secrets[name] ?? '');
    characters += JSON.stringify(open).length;
    if (characters > MAX_SERVERS_CHARACTERS)
      tools.missing.push({
        name: server.name,
        reason: `The servers and their secrets have more than ${MAX_SERVERS_CHARACTERS} characters in total.`,
      });
    else tools.servers[server.name] = open;
  }
  return tools;
}

/** One line without secrets, short enough for an event. */
export function reasonOf(text: string, secrets: AgentGrant['secrets']): string {
  let safe = text;
  for (const value of Object.values(secrets)) safe = safe.replaceAll(value, '…');
  const words = safe.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return words.slice(0, TOOL_SERVER_LIMITS.reasonCharacters) || 'It gave no reason.';
}

function openServer(server: AgentServer, valueOf: (name: string) => string): OpenServer {
  const open = (values: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, text]) => [name, withSecrets(text, valueOf)]),
    );
  if (server.kind === 'remote')
    return { kind: 'remote', url: server.url, headers: open(server.headers) };
  const [program = '', ...rest] = server.command;
  return { kind: 'local', command: [program, ...rest], env: open(server.env) };
}

const textsOf = (server: AgentServer): string[] =>
  Object.values(server.kind === 'local' ? server.env : server.headers);
