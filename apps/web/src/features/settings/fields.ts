import { AGENT_SETTINGS_LIMITS } from '@ship/protocol';
import type { Settings, SettingsPatch } from '@ship/protocol';

/** A control's text as a change, or why it is none. */
type Written =
  | { readonly ok: true; readonly patch: SettingsPatch }
  | { readonly ok: false; readonly problem: string };

/** One setting: how it reads in a form and what its text means. Units are those that people think in. */
export interface SettingField {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly kind: 'text' | 'number' | 'lines' | 'model';
  readonly unit?: string;
  readonly placeholder?: string;
  readonly read: (settings: Settings) => string;
  readonly write: (text: string) => Written;
}

const done = (patch: SettingsPatch): Written => ({ ok: true, patch });
const not = (problem: string): Written => ({ ok: false, problem });

const MINUTE_MS = 60_000;

function wholeNumber(
  text: string,
  [min, max]: readonly [number, number],
  use: (value: number) => SettingsPatch,
): Written {
  const value = Number(text.trim());
  return text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max
    ? done(use(value))
    : not(`Must be a whole number from ${min} to ${max.toLocaleString('en-US')}.`);
}

function minutes(text: string, maxMinutes: number, use: (ms: number) => SettingsPatch): Written {
  const value = Number(text.trim());
  return text.trim() !== '' && value > 0 && value <= maxMinutes
    ? done(use(Math.round(value * MINUTE_MS)))
    : not(`Must be more than 0 and at most ${maxMinutes.toLocaleString('en-US')} minutes.`);
}

function dollars(text: string, use: (usd: number | null) => SettingsPatch): Written {
  const trimmed = text.trim().replace(/^\$/, '');
  if (trimmed === '') return done(use(null));
  const value = Number(trimmed);
  return value > 0 && value <= 1_000_000
    ? done(use(value))
    : not('Must be an amount above 0, or empty for no cap.');
}

const MAX_TOKENS = 1_000_000_000_000;

const asMinutes = (ms: number) => String(Number((ms / MINUTE_MS).toFixed(2)));
const asDollars = (usd: number | null) => (usd === null ? '' : String(usd));
const orNull = (text: string) => (text.trim() === '' ? null : text.trim());

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
    id: 'maxStepsPerTurn',
    label: 'Steps per turn',
    hint: 'An agent that takes more is stopped and asks you.',
    kind: 'number',
    read: ({ limits }) => String(limits.maxStepsPerTurn),
    write: (text) =>
      wholeNumber(text, [1, 500], (maxStepsPerTurn) => ({ limits: { maxStepsPerTurn } })),
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

const HOST = /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i;

export const networkFields: readonly SettingField[] = [
  {
    id: 'allow',
    label: 'Allowed hosts',
    hint: 'One per line, the package registries too; *.example.com allows everything below it. Ports 80 and 443.',
    kind: 'lines',
    placeholder: 'registry.npmjs.org\n*.pythonhosted.org',
    read: ({ egress }) => egress.allow.join('\n'),
    write: (text) => {
      const hosts = text.split(/[\s,]+/).filter((host) => host !== '');
      const wrong = hosts.find((host) => !HOST.test(host));
      return wrong === undefined
        ? done({ egress: { allow: [...new Set(hosts.map((host) => host.toLowerCase()))] } })
        : not(`"${wrong}" is no host name. Leave out https:// and paths.`);
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
