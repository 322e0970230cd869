import { AGENT_SETTINGS_LIMITS, DEFAULT_HOSTS } from '@ship/protocol';
import type { SettingsPatch } from '@ship/protocol';
import {
  type SettingField,
  done,
  not,
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
        ? done({ defaultModel: model })
        : not('Must look like provider/model.');
    },
  },
  {
    id: 'authorName',
    label: 'Commit author',
    hint: 'Commits of the agent carry this name. Empty: what the forge knows of you.',
    kind: 'text',
    placeholder: 'Your name',
    read: ({ author }) => author.name ?? '',
    write: (text) => done({ author: { name: orNull(text) } }),
  },
  {
    id: 'authorEmail',
    label: 'Commit email',
    hint: 'Empty: what the forge knows of you.',
    kind: 'text',
    placeholder: 'you@example.com',
    read: ({ author }) => author.email ?? '',
    write: (text) => {
      const email = orNull(text);
      return email === null || /^\S+@\S+\.\S+$/.test(email)
        ? done({ author: { email } })
        : not('Must be an email address.');
    },
  },
  {
    id: 'deleteBranch',
    label: 'Delete branches',
    hint: 'merged: after the pull request is merged. ended: also after it is closed, or the session is. never: Ship keeps them.',
    kind: 'text',
    placeholder: 'merged',
    read: ({ branches }) => branches.delete,
    write: (text) => {
      const rule = text.trim().toLowerCase();
      return rule === 'never' || rule === 'merged' || rule === 'ended'
        ? done({ branches: { delete: rule } })
        : not('Must be merged, ended or never.');
    },
  },
];

type Budgets = NonNullable<SettingsPatch['budgets']>;

/** The two caps of one scope. Only the one in dollars has a default. */
const budgetPair = (
  label: string,
  hint: { scope: string; default: string },
  usd: 'turnUsd' | 'sessionUsd' | 'dailyUsd',
  tokens: 'turnTokens' | 'sessionTokens' | 'dailyTokens',
): readonly SettingField[] => [
  {
    id: usd,
    label,
    hint: `${hint.scope} ${hint.default}; empty: no cap.`,
    kind: 'number',
    unit: 'USD',
    placeholder: 'no cap',
    read: ({ budgets }) => asDollars(budgets[usd]),
    write: (text) => dollars(text, (value) => ({ budgets: { [usd]: value } satisfies Budgets })),
  },
  {
    id: tokens,
    label,
    hint: `${hint.scope} Empty: no cap.`,
    kind: 'number',
    unit: 'tokens',
    placeholder: 'no cap',
    read: ({ budgets }) => budgets[tokens]?.toString() ?? '',
    write: (text) =>
      text.trim() === ''
        ? done({ budgets: { [tokens]: null } satisfies Budgets })
        : wholeNumber(text, [1, MAX_TOKENS], (value) => ({
            budgets: { [tokens]: value } satisfies Budgets,
          })),
  },
];

export const budgetFields: readonly SettingField[] = [
  ...budgetPair(
    'Budget per session',
    { scope: 'All its turns together.', default: '$5 until you choose another amount' },
    'sessionUsd',
    'sessionTokens',
  ),
  ...budgetPair(
    'Budget per turn',
    {
      scope: 'From one prompt to the next.',
      default: '$3 until you choose another amount, or give a session its own budget',
    },
    'turnUsd',
    'turnTokens',
  ),
  ...budgetPair(
    'Budget per day',
    { scope: 'All sessions, by UTC days.', default: '$25 until you choose another amount' },
    'dailyUsd',
    'dailyTokens',
  ),
];

export const limitFields: readonly SettingField[] = [
  {
    id: 'maxWorking',
    label: 'Sessions at work at once',
    hint: 'Further ones wait their turn.',
    kind: 'number',
    read: ({ concurrency }) => String(concurrency.maxWorking),
    write: (text) =>
      wholeNumber(text, [1, 1000], (maxWorking) => ({ concurrency: { maxWorking } })),
  },
  {
    id: 'warmSize',
    label: 'Agents that wait',
    hint: 'Started already for the next sessions; each takes about 400 MB. 0: none.',
    kind: 'number',
    read: ({ warm }) => String(warm.size),
    write: (text) => wholeNumber(text, [0, 8], (size) => ({ warm: { size } })),
  },
  {
    id: 'installDependencies',
    label: 'Install dependencies',
    hint: 'on or off. In repositories without a setup, before the agent starts.',
    kind: 'text',
    read: ({ install }) => asSwitch(install.dependencies),
    write: (text) => onOrOff(text, (dependencies) => ({ install: { dependencies } })),
  },
  {
    id: 'installScripts',
    label: 'Install scripts',
    hint: 'on or off. Whether dependencies may run their own scripts while they are installed.',
    kind: 'text',
    read: ({ install }) => asSwitch(install.scripts),
    write: (text) => onOrOff(text, (scripts) => ({ install: { scripts } })),
  },
  {
    id: 'maxStepsPerTurn',
    label: 'Steps per turn',
    hint: 'An agent that takes more is stopped and asks you.',
    kind: 'number',
    read: ({ limits }) => String(limits.maxStepsPerTurn),
    write: (text) =>
      wholeNumber(text, [1, 1000], (maxStepsPerTurn) => ({ limits: { maxStepsPerTurn } })),
  },
  {
    id: 'turnTimeout',
    label: 'Time per turn',
    hint: 'A turn that takes longer is stopped.',
    kind: 'number',
    unit: 'minutes',
    read: ({ limits }) => asMinutes(limits.turnTimeoutMs),
    write: (text) => {
      const written = minutes(text, 24 * 60, (turnTimeoutMs) => ({ limits: { turnTimeoutMs } }));
      return Number(text) < 1 ? not('Must be at least 1 minute.') : written;
    },
  },
  {
    id: 'verifyTimeout',
    label: 'Time for tests',
    hint: 'The test command is ended after this time, before the work and after it.',
    kind: 'number',
    unit: 'minutes',
    read: ({ limits }) => asMinutes(limits.verifyTimeoutMs),
    write: (text) => {
      const written = minutes(text, 4 * 60, (verifyTimeoutMs) => ({ limits: { verifyTimeoutMs } }));
      return Number(text) < 1 ? not('Must be at least 1 minute.') : written;
    },
  },
  {
    id: 'toolFailures',
    label: 'Failures of one tool in a row',
    hint: 'After that many the session pauses, instead of paying for a loop.',
    kind: 'number',
    read: ({ limits }) => String(limits.toolFailures),
    write: (text) => wholeNumber(text, [1, 20], (toolFailures) => ({ limits: { toolFailures } })),
  },
];

export const idleFields: readonly SettingField[] = [
  {
    id: 'pauseAfter',
    label: 'Freeze after',
    hint: 'Processes stop in place; the next prompt goes on at once.',
    kind: 'number',
    unit: 'minutes',
    read: ({ idle }) => asMinutes(idle.pauseAfterMs),
    write: (text) => minutes(text, 24 * 60, (pauseAfterMs) => ({ idle: { pauseAfterMs } })),
  },
  {
    id: 'sleepAfter',
    label: 'Sleep after',
    hint: 'Memory is given back; files stay.',
    kind: 'number',
    unit: 'minutes',
    read: ({ idle }) => asMinutes(idle.sleepAfterMs),
    write: (text) => minutes(text, 24 * 60, (sleepAfterMs) => ({ idle: { sleepAfterMs } })),
  },
  {
    id: 'destroyAfter',
    label: 'Remove after',
    hint: 'The sandbox goes; the work is kept and restored on the next prompt.',
    kind: 'number',
    unit: 'minutes',
    read: ({ idle }) => asMinutes(idle.destroyAfterMs),
    write: (text) =>
      minutes(text, 30 * 24 * 60, (destroyAfterMs) => ({ idle: { destroyAfterMs } })),
  },
];

/** The server looks closer at what follows `=`. */
const HOST =
  /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?((:[0-9]+)?=(private|[0-9a-f.:/]+))?$/i;

export const networkFields: readonly SettingField[] = [
  {
    id: 'allow',
    label: 'Allowed hosts',
    hint: 'One per line, the package registries too; *.example.com allows everything below it. Ports 80 and 443. A host of your own network needs its private address allowed: registry.corp.example=private, or =10.20.0.0/16. ship:defaults stands for the hosts that are allowed without a list.',
    kind: 'lines',
    placeholder: 'registry.npmjs.org\n*.pythonhosted.org',
    read: ({ egress }) => egress.allow.join('\n'),
    write: (text) => {
      const hosts = text.split(/[\s,]+/).filter((host) => host !== '');
      const wrong = hosts.find((host) => host !== DEFAULT_HOSTS && !HOST.test(host));
      return wrong === undefined
        ? done({ egress: { allow: [...new Set(hosts.map((host) => host.toLowerCase()))] } })
        : not(
            `"${wrong}" is no host name. Leave out https:// and paths; a host at a private address is HOST=private.`,
          );
    },
  },
];

export const agentFields: readonly SettingField[] = [
  {
    id: 'agentInstructions',
    label: 'Instructions',
    hint: 'Told to every agent with every prompt, beside the repository’s own AGENTS.md.',
    kind: 'lines',
    placeholder: 'Write short commits. Ask before you add a dependency.',
    read: ({ agent }) => agent.instructions,
    write: (text) =>
      text.length <= AGENT_SETTINGS_LIMITS.instructionsCharacters
        ? done({ agent: { instructions: text.trim() } })
        : not(
            `Must be at most ${AGENT_SETTINGS_LIMITS.instructionsCharacters.toLocaleString('en-US')} characters.`,
          ),
  },
];
