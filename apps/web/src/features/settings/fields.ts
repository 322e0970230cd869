import { AGENT_SETTINGS_LIMITS, DEFAULT_HOSTS } from '@ship/protocol';
import type { SettingsPatch } from '@ship/protocol';
import {
  type SettingField,
  valid,
  invalid,
  wholeNumber,
  minutes,
  dollars,
  asSwitch,
  onOrOff,
  MAX_TOKENS,
  asMinutes,
  asDollars,
  orNull,
} from './field-text.ts';

export type { SettingField } from './field-text.ts';

export const generalFields: readonly SettingField[] = [
  {
    id: 'defaultModel',
    label: 'Default model',
    hint: 'New sessions use it unless you choose another.',
    kind: 'model',
    placeholder: 'provider/model',
    read: ({ defaultModel }) => defaultModel ?? '',
    write: (text) => {
      const model = orNull(text);
      return model === null || /^[^/\s]+\/\S+$/.test(model)
        ? valid({ defaultModel: model })
        : invalid('Must look like provider/model.');
    },
  },
  {
    id: 'authorName',
    label: 'Commit author',
    hint: 'Name on the agent’s commits. Leave empty to use the name from the forge.',
    kind: 'text',
    placeholder: 'Your name',
    read: ({ author }) => author.name ?? '',
    write: (text) => valid({ author: { name: orNull(text) } }),
  },
  {
    id: 'authorEmail',
    label: 'Commit email',
    hint: 'Leave empty to use the address from the forge.',
    kind: 'text',
    placeholder: 'you@example.com',
    read: ({ author }) => author.email ?? '',
    write: (text) => {
      const email = orNull(text);
      return email === null || /^\S+@\S+\.\S+$/.test(email)
        ? valid({ author: { email } })
        : invalid('Must be an email address.');
    },
  },
  {
    id: 'deleteBranch',
    label: 'Delete branches',
    hint: 'merged: after the pull request is merged. ended: also after the pull request or the session is closed. never: keep them.',
    kind: 'text',
    placeholder: 'merged',
    read: ({ branches }) => branches.delete,
    write: (text) => {
      const rule = text.trim().toLowerCase();
      return rule === 'never' || rule === 'merged' || rule === 'ended'
        ? valid({ branches: { delete: rule } })
        : invalid('Must be merged, ended or never.');
    },
  },
];

type Budgets = NonNullable<SettingsPatch['budgets']>;

/** The two limits of one scope. Only the one in dollars has a default. */
const budgetPair = (
  label: string,
  hint: { scope: string; default: string },
  usd: 'turnUsd' | 'sessionUsd' | 'dailyUsd',
  tokens: 'turnTokens' | 'sessionTokens' | 'dailyTokens',
): readonly SettingField[] => [
  {
    id: usd,
    label,
    hint: `${hint.scope} ${hint.default}. Leave empty for no limit.`,
    kind: 'number',
    unit: 'USD',
    placeholder: 'No limit',
    read: ({ budgets }) => asDollars(budgets[usd]),
    write: (text) => dollars(text, (value) => ({ budgets: { [usd]: value } satisfies Budgets })),
  },
  {
    id: tokens,
    label,
    hint: `${hint.scope} Leave empty for no limit.`,
    kind: 'number',
    unit: 'tokens',
    placeholder: 'No limit',
    read: ({ budgets }) => budgets[tokens]?.toString() ?? '',
    write: (text) =>
      text.trim() === ''
        ? valid({ budgets: { [tokens]: null } satisfies Budgets })
        : wholeNumber(text, [1, MAX_TOKENS], (value) => ({
            budgets: { [tokens]: value } satisfies Budgets,
          })),
  },
];

export const budgetFields: readonly SettingField[] = [
  ...budgetPair(
    'Budget per session',
    { scope: 'All turns of a session.', default: 'Default: $5' },
    'sessionUsd',
    'sessionTokens',
  ),
  ...budgetPair(
    'Budget per turn',
    {
      scope: 'From one prompt to the next.',
      default: 'Default: $3, unless the session has its own',
    },
    'turnUsd',
    'turnTokens',
  ),
  ...budgetPair(
    'Budget per day',
    { scope: 'All sessions, per UTC day.', default: 'Default: $25' },
    'dailyUsd',
    'dailyTokens',
  ),
];

export const limitFields: readonly SettingField[] = [
  {
    id: 'maxWorking',
    label: 'Max concurrent sessions',
    hint: 'Others are queued.',
    kind: 'number',
    read: ({ concurrency }) => String(concurrency.maxWorking),
    write: (text) =>
      wholeNumber(text, [1, 1000], (maxWorking) => ({ concurrency: { maxWorking } })),
  },
  {
    id: 'warmSize',
    label: 'Warm agents',
    hint: 'Pre-started; about 400 MB each. 0 disables.',
    kind: 'number',
    read: ({ warm }) => String(warm.size),
    write: (text) => wholeNumber(text, [0, 8], (size) => ({ warm: { size } })),
  },
  {
    id: 'installDependencies',
    label: 'Install dependencies',
    hint: 'on or off. Before the agent starts, in repositories without a setup.',
    kind: 'text',
    read: ({ install }) => asSwitch(install.dependencies),
    write: (text) => onOrOff(text, (dependencies) => ({ install: { dependencies } })),
  },
  {
    id: 'installScripts',
    label: 'Install scripts',
    hint: 'on or off. Whether dependencies may run scripts during the install.',
    kind: 'text',
    read: ({ install }) => asSwitch(install.scripts),
    write: (text) => onOrOff(text, (scripts) => ({ install: { scripts } })),
  },
  {
    id: 'maxStepsPerTurn',
    label: 'Steps per turn',
    hint: 'The agent pauses at this limit and asks you.',
    kind: 'number',
    read: ({ limits }) => String(limits.maxStepsPerTurn),
    write: (text) =>
      wholeNumber(text, [1, 1000], (maxStepsPerTurn) => ({ limits: { maxStepsPerTurn } })),
  },
  {
    id: 'turnTimeout',
    label: 'Time per turn',
    hint: 'Longer turns are stopped.',
    kind: 'number',
    unit: 'minutes',
    read: ({ limits }) => asMinutes(limits.turnTimeoutMs),
    write: (text) => {
      const written = minutes(text, 24 * 60, (turnTimeoutMs) => ({ limits: { turnTimeoutMs } }));
      return Number(text) < 1 ? invalid('Must be at least 1 minute.') : written;
    },
  },
  {
    id: 'verifyTimeout',
    label: 'Time for tests',
    hint: 'Timeout of the test command, before and after the work.',
    kind: 'number',
    unit: 'minutes',
    read: ({ limits }) => asMinutes(limits.verifyTimeoutMs),
    write: (text) => {
      const written = minutes(text, 4 * 60, (verifyTimeoutMs) => ({ limits: { verifyTimeoutMs } }));
      return Number(text) < 1 ? invalid('Must be at least 1 minute.') : written;
    },
  },
  {
    id: 'toolFailures',
    label: 'Max consecutive tool failures',
    hint: 'The session pauses after this many failures of one tool.',
    kind: 'number',
    read: ({ limits }) => String(limits.toolFailures),
    write: (text) => wholeNumber(text, [1, 20], (toolFailures) => ({ limits: { toolFailures } })),
  },
];

export const idleFields: readonly SettingField[] = [
  {
    id: 'pauseAfter',
    label: 'Pause after',
    hint: 'Processes stop in place; the next prompt continues at once.',
    kind: 'number',
    unit: 'minutes',
    read: ({ idle }) => asMinutes(idle.pauseAfterMs),
    write: (text) => minutes(text, 24 * 60, (pauseAfterMs) => ({ idle: { pauseAfterMs } })),
  },
  {
    id: 'sleepAfter',
    label: 'Hibernate after',
    hint: 'Frees the memory; files stay.',
    kind: 'number',
    unit: 'minutes',
    read: ({ idle }) => asMinutes(idle.sleepAfterMs),
    write: (text) => minutes(text, 24 * 60, (sleepAfterMs) => ({ idle: { sleepAfterMs } })),
  },
  {
    id: 'destroyAfter',
    label: 'Delete after',
    hint: 'Deletes the sandbox; the work is kept and restored on the next prompt.',
    kind: 'number',
    unit: 'minutes',
    read: ({ idle }) => asMinutes(idle.destroyAfterMs),
    write: (text) =>
      minutes(text, 30 * 24 * 60, (destroyAfterMs) => ({ idle: { destroyAfterMs } })),
  },
];

/** The server validates what follows `=`. */
const HOST =
  /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?((:[0-9]+)?=(private|[0-9a-f.:/]+))?$/i;

export const networkFields: readonly SettingField[] = [
  {
    id: 'allow',
    label: 'Allowed hosts',
    hint: 'One per line, including package registries; *.example.com allows all subdomains. Ports 80 and 443. A host on your own network needs its private address allowed: registry.corp.example=private, or =10.20.0.0/16. ship:defaults stands for the hosts that are allowed without a list.',
    kind: 'lines',
    placeholder: 'registry.npmjs.org\n*.pythonhosted.org',
    read: ({ egress }) => egress.allow.join('\n'),
    write: (text) => {
      const hosts = text.split(/[\s,]+/).filter((host) => host !== '');
      const wrong = hosts.find((host) => host !== DEFAULT_HOSTS && !HOST.test(host));
      return wrong === undefined
        ? valid({ egress: { allow: [...new Set(hosts.map((host) => host.toLowerCase()))] } })
        : invalid(
            `“${wrong}” is not a valid host name. Leave out https:// and paths; write HOST=private for a host at a private address.`,
          );
    },
  },
];

export const agentFields: readonly SettingField[] = [
  {
    id: 'agentInstructions',
    label: 'Instructions',
    hint: 'Sent to every agent with every prompt, in addition to the repository’s AGENTS.md.',
    kind: 'lines',
    placeholder: 'Write short commits. Ask before you add a dependency.',
    read: ({ agent }) => agent.instructions,
    write: (text) =>
      text.length <= AGENT_SETTINGS_LIMITS.instructionsCharacters
        ? valid({ agent: { instructions: text.trim() } })
        : invalid(
            `Must be at most ${AGENT_SETTINGS_LIMITS.instructionsCharacters.toLocaleString('en-US')} characters.`,
          ),
  },
];
