/** The agents' configuration: instructions, skills and MCP servers. */
import * as z from 'zod';
import { SecretName } from './secret.ts';
import { line } from './text.ts';

export const AGENT_SETTINGS_LIMITS = {
  instructionsCharacters: 20_000,
  skills: 20,
  skillCharacters: 16_000,
  /** Total of all skills: they are sent in one request. */
  skillsCharacters: 150_000,
  servers: 20,
  /** Total of all servers: they are passed in one environment variable, whose size is limited. */
  serversCharacters: 32_000,
} as const;

/** Sent to the agent with every prompt. */
export const AgentInstructions = z
  .string()
  .trim()
  .max(AGENT_SETTINGS_LIMITS.instructionsCharacters);

/** Used as a folder name, and as a prefix of tool names. */
const Slug = z
  .string()
  .max(40)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lowercase letters, digits and single hyphens');

/** The agent always knows name and description, and reads the text when it needs it. */
export const AgentSkill = z.strictObject({
  name: Slug,
  description: line(1000),
  text: z.string().trim().min(1).max(AGENT_SETTINGS_LIMITS.skillCharacters),
  isEnabled: z.boolean().default(true),
});
export type AgentSkill = z.infer<typeof AgentSkill>;

const REFERENCE = /\{secret:([^}]*)\}/g;

/** Names of the secrets that a text refers to as `{secret:NAME}`. */
export const secretsIn = (text: string): string[] =>
  [...text.matchAll(REFERENCE)].map(([, name = '']) => name);

/** Replaces each reference by the secret's value. */
export const withSecrets = (text: string, valueOf: (name: string) => string): string =>
  text.replace(REFERENCE, (_, name: string) => valueOf(name));

/** The agent's program would replace `{env:…}` and `{file:…}` by its variables and files, its token among them. */
const plain = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u, 'must be one line of text')
    .refine(
      (text) => !/\{(env|file):/i.test(text),
      'must not contain {env:…} or {file:…}; refer to a secret as {secret:NAME}',
    );

const value = plain(4000).refine(
  (text) => secretsIn(text).every((name) => SecretName.safeParse(name).success),
  'refers to an invalid secret name: it must look like {secret:API_KEY}',
);

const Variables = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be the name of a variable'),
  value,
);

const Headers = z.record(
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of a header'),
  value,
);

const ServerUrl = plain(2000).refine(
  isServerUrl,
  'must be an http or https URL without a password: put that into a header',
);

/** A server of the Model Context Protocol. */
export const AgentServer = z.discriminatedUnion('kind', [
  /** A program in the sandbox, with stdio transport. */
  z.strictObject({
    kind: z.literal('local'),
    name: Slug,
    command: z.array(plain(2000)).min(1).max(50),
    env: Variables.default({}),
    isEnabled: z.boolean().default(true),
  }),
  /** Reached from the sandbox: its host must be allowed there. */
  z.strictObject({
    kind: z.literal('remote'),
    name: Slug,
    url: ServerUrl,
    headers: Headers.default({}),
    isEnabled: z.boolean().default(true),
  }),
]);
export type AgentServer = z.infer<typeof AgentServer>;

const hasUniqueNames = (all: readonly { name: string }[]) =>
  new Set(all.map(({ name }) => name)).size === all.length;

export const AgentSettings = z.strictObject({
  instructions: AgentInstructions,
  skills: z
    .array(AgentSkill)
    .max(AGENT_SETTINGS_LIMITS.skills)
    .refine(hasUniqueNames, 'must not have two skills with the same name')
    .refine(
      (skills) =>
        skills.reduce((sum, { text }) => sum + text.length, 0) <=
        AGENT_SETTINGS_LIMITS.skillsCharacters,
      `must have at most ${AGENT_SETTINGS_LIMITS.skillsCharacters} characters in total`,
    ),
  servers: z
    .array(AgentServer)
    .max(AGENT_SETTINGS_LIMITS.servers)
    .refine(hasUniqueNames, 'must not have two servers with the same name')
    .refine(
      (servers) => JSON.stringify(servers).length <= AGENT_SETTINGS_LIMITS.serversCharacters,
      `must have at most ${AGENT_SETTINGS_LIMITS.serversCharacters} characters in total`,
    ),
});
export type AgentSettings = z.infer<typeof AgentSettings>;

function isServerUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && !url.password;
}
