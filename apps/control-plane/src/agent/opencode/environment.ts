import { AGENT_SHELL_FILE, type AgentLaunch } from '../port.ts';
import { NO_MODELS, TOKEN_VARIABLE, opencodeConfig } from './config.ts';

/**
 * The variables that OpenCode starts with. Programs in the sandbox can read them all: apart from the repository's own secrets,
 * nothing here is worth stealing.
 */
export function opencodeEnvironment({
  config,
  password,
  env,
}: AgentLaunch): Record<string, string> {
  return {
    ...env,
    // The agent starts before the checkout, so the environment that the repository's files describe cannot be in its own.
    BASH_ENV: AGENT_SHELL_FILE,
    // Overrides every other configuration on the keys that it sets.
    OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(config)),
    // A repository is not trusted: its opencode.json could send the conversation elsewhere. A newer part of OpenCode 1.18.33
    // loads plugins anyway, without asking; the sandbox contains them, and nothing here is worth stealing.
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    OPENCODE_PURE: '1',
    // Sign-ins of providers that it knows by name; Ship's have other names, and each is loaded before the first prompt.
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_SERVER_PASSWORD: password,
    OPENCODE_CLIENT: 'serve',
    // By default offered only to clients that it knows.
    OPENCODE_ENABLE_QUESTION_TOOL: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    // Its catalogue has thousands of unused models, and takes seconds of processor time at the first prompt.
    OPENCODE_MODELS_PATH: NO_MODELS.path,
    // Both scan every file of the repository, for lists and notices that nothing here uses.
    OPENCODE_DISABLE_FFF: '1',
    OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_CLAUDE_CODE: '1',
    OPENCODE_DISABLE_EMBEDDED_WEB_UI: '1',
    OPENCODE_DISABLE_SHARE: '1',
    // Without it the runtime sizes its heap by the host's memory.
    BUN_JSC_forceRAMSize: '536870912',
    [TOKEN_VARIABLE]: config.gatewayToken,
  };
}
