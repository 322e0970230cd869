import type { Config } from '@opencode-ai/sdk/v2/client';
import {
  type AgentConfig,
  type AgentModel,
  type AgentProvider,
  type McpServer,
  READ_ONCE,
} from '../port.ts';
import { providerIdOf, toOpencodeModel } from './model-name.ts';
import { SANDBOX_PERMISSIONS } from './refusals.ts';

/** The agent's files; outside the repository, so that they never get into a commit. */
export const AGENT_FOLDER = '/home/user/.ship/agent';
/** A catalogue without models: everything that the agent may use is in its configuration. */
export const NO_MODELS = { name: 'models.json', path: `${AGENT_FOLDER}/models.json`, text: '{}' };
export const TOKEN_VARIABLE = 'SHIP_GATEWAY_TOKEN';

const SDKS = {
  chat: '@ai-sdk/openai-compatible',
  messages: '@ai-sdk/anthropic',
  responses: '@ai-sdk/openai',
} as const;

/** Instructions that projects write for agents. Listed explicitly, because the project's own configuration is not read. */
const PROJECT_INSTRUCTIONS = ['AGENTS.md', 'CLAUDE.md', '.github/copilot-instructions.md'];

/** Read-only commands. In Plan mode nothing else runs. */
const READ_ONLY_COMMANDS = [
  'ls',
  'cat',
  'head',
  'tail',
  'wc',
  'grep',
  'rg',
  'find . ',
  'git log',
  'git diff',
  'git show',
  'git status',
];

export function opencodeConfig(config: AgentConfig): Config {
  const { folder, smallModel, instructions, skills } = config;
  return {
    autoupdate: false,
    share: 'disabled',
    lsp: false,
    formatter: false,
    // Ship's own checkpoints do this, and survive the sandbox.
    snapshot: false,
    ...toolsAndRules(config),
    model: toOpencodeModel(smallModel),
    small_model: toOpencodeModel(smallModel),
    enabled_providers: config.providers.map(({ id }) => providerIdOf(id)),
    provider: Object.fromEntries(
      config.providers.map((provider) => [providerIdOf(provider.id), toProvider(provider)]),
    ),
    instructions: [
      ...PROJECT_INSTRUCTIONS.map((file) => `${folder}/${file}`),
      ...instructions.map(({ name }) => `${AGENT_FOLDER}/instructions/${name}.md`),
    ],
    skills: {
      paths: [
        ...READ_ONCE.map((path) => `${folder}/${path}`),
        // Listed explicitly: skills of an earlier configuration still lie beside them.
        ...skills.map(({ name }) => `${AGENT_FOLDER}/skills/${name}`),
      ],
    },
    mcp: Object.fromEntries(Object.entries(config.mcp).map(([id, mcp]) => [id, toMcp(mcp)])),
    // A refused call is the agent's problem to solve, not the end of the turn.
    experimental: { continue_loop_on_deny: true },
  };
}

function toolsAndRules({ permissions }: AgentConfig): Pick<Config, 'permission' | 'agent'> {
  return {
    // The last match wins. Without these rules a run would wait forever for an answer.
    permission: {
      '*': 'allow',
      question: 'allow',
      ...permissions,
      ...SANDBOX_PERMISSIONS,
    },
    agent: {
      // The "*" above would otherwise override the rules of Plan mode.
      plan: {
        permission: {
          edit: 'deny',
          task: 'deny',
          bash: {
            '*': 'deny',
            ...Object.fromEntries(
              READ_ONLY_COMMANDS.map((command) => [`${command}*`, 'allow' as const]),
            ),
          },
        },
      },
    },
  };
}

function toProvider({ id, protocol, baseUrl, models, silence }: AgentProvider) {
  return {
    npm: SDKS[protocol],
    name: id,
    options: {
      baseURL: baseUrl,
      apiKey: `{env:${TOKEN_VARIABLE}}`,
      headerTimeout: silence.headersMs,
      chunkTimeout: silence.chunkMs,
    },
    models: Object.fromEntries(models.map((model) => [model.id, toModel(model)])),
  };
}

function toModel({
  name,
  contextTokens,
  outputTokens,
  price,
  isReasoning,
  takesImages,
}: AgentModel) {
  return {
    name,
    tool_call: true,
    reasoning: isReasoning,
    attachment: takesImages,
    modalities: {
      input: takesImages ? ['text' as const, 'image' as const] : ['text' as const],
      output: ['text' as const],
    },
    limit: { context: contextTokens, output: outputTokens },
    ...(price === null
      ? {}
      : {
          cost: {
            input: price.input,
            output: price.output,
            cache_read: price.cacheRead,
            cache_write: price.cacheWrite,
          },
        }),
  };
}

function toMcp(server: McpServer) {
  return server.kind === 'local'
    ? { type: 'local' as const, command: [...server.command], environment: server.env }
    : { type: 'remote' as const, url: server.url, headers: server.headers, oauth: false as const };
}
