import { type SettingsSection, type ShipError, openSettings, shipError } from '@ship/protocol';

/** Where a failure came from: the same status means different things at different boundaries. */
export type Boundary = 'sandbox' | 'model' | 'git' | 'forge' | 'agent';

/** What is known of a foreign failure, taken from its structure. Its words are kept out: they may hold secrets. */
export interface FailureFacts {
  boundary: Boundary;
  /** Class or `name` of the thrown error, such as `RateLimitError`. */
  name?: string;
  /** HTTP status, where there was an answer. */
  status?: number;
  /** Node or undici error code, such as `ECONNREFUSED`. */
  code?: string;
  /** The client's own word, where there was no answer to judge by. */
  isRetryable?: boolean;
}

const LABELS: Record<Boundary, string> = {
  sandbox: 'The sandbox service',
  model: 'The model provider',
  git: 'The git server',
  forge: 'The forge',
  agent: 'The agent',
};

/** Where its credentials are set. Those of the sandbox service are in the environment. */
const SECTIONS: Readonly<Record<string, SettingsSection>> = {
  [LABELS.forge]: 'forges',
  [LABELS.git]: 'forges',
  [LABELS.model]: 'models',
};

/** By class name first: the official clients say more with their classes than with a status. */
const BY_NAME: Record<string, (label: string) => ShipError> = {
  AuthenticationError: refused,
  RateLimitError: rateLimited,
  ServiceBusyError: unavailable,
  TimeoutError: timedOut,
  AbortError: timedOut,
  NotEnoughSpaceError: full,
  SandboxNotFoundError: gone,
  NotFoundError: gone,
  TemplateError: misconfigured,
  // OpenCode's names for what went wrong at the model's provider.
  ProviderAuthError: refused,
  ContextOverflowError: tooLong,
  ContentFilterError: contentRefused,
};

const UNREACHABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'UND_ERR_SOCKET',
]);
const TIMEOUT_CODES = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** The one place where a foreign failure gets our code, category and remedy. Total: what is unknown is `internal`. */
export function classify({ boundary, name, status, code, isRetryable }: FailureFacts): ShipError {
  const label = LABELS[boundary];
  const byName = name !== undefined && Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  if (byName !== undefined) return byName(label);
  if (code !== undefined && TIMEOUT_CODES.has(code)) return timedOut(label);
  if (code !== undefined && UNREACHABLE_CODES.has(code)) return unreachable(label);
  if (status !== undefined) return byStatus(label, status);
  return isRetryable === true ? unavailable(label) : unknown(label);
}

function byStatus(label: string, status: number): ShipError {
  if (status === 401 || status === 403) return refused(label);
  if (status === 402) return unpaid(label);
  if (status === 404 || status === 410) return gone(label);
  if (status === 408 || status === 504) return timedOut(label);
  if (status === 425 || status === 429) return rateLimited(label);
  if (status === 507) return full(label);
  if (status >= 500) return unavailable(label);
  return unknown(label);
}

function refused(label: string): ShipError {
  const section = SECTIONS[label];
  const what =
    section === 'forges' ? 'the token under Settings → Forges' : 'the key or token in Settings';
  return shipError(
    'credentials-refused',
    `${label} refused the credentials.`,
    `Check ${what}, then retry.`,
    section && openSettings(section),
  );
}

function unpaid(label: string): ShipError {
  return shipError(
    'payment-required',
    `${label} wants payment.`,
    'Settle it with the provider or choose another, then retry.',
    label === LABELS.model ? openSettings('models') : undefined,
  );
}

function rateLimited(label: string): ShipError {
  return shipError(
    'rate-limited',
    `${label} asks to slow down.`,
    'Nothing needs to be done: it is tried again by itself.',
  );
}

function unavailable(label: string): ShipError {
  return shipError(
    'unavailable',
    `${label} is not available at the moment.`,
    'Nothing needs to be done: it is tried again by itself.',
  );
}

function unreachable(label: string): ShipError {
  return shipError(
    'unreachable',
    `${label} cannot be reached.`,
    'It is tried again by itself; check the network if it stays so.',
  );
}

function timedOut(label: string): ShipError {
  return shipError('timed-out', `${label} did not answer in time.`, 'It is tried again by itself.');
}

function gone(label: string): ShipError {
  return shipError(
    'gone',
    `${label} no longer has what was asked for.`,
    'Retry: what is missing is made anew from the saved work.',
  );
}

function tooLong(label: string): ShipError {
  return shipError(
    'conversation-too-long',
    `${label} cannot take a conversation of this length.`,
    'Start a new session, or choose a model with a longer context.',
  );
}

function contentRefused(label: string): ShipError {
  return shipError(
    'content-refused',
    `${label} declined to answer this.`,
    'Word the task differently or choose another model.',
  );
}

function full(label: string): ShipError {
  return shipError(
    'out-of-space',
    `${label} has no room left.`,
    'Free disk space or end other sandboxes, then retry.',
  );
}

function misconfigured(label: string): ShipError {
  return shipError(
    'misconfigured',
    `${label} cannot use its template.`,
    'Rebuild or change the template, then retry.',
  );
}

function unknown(label: string): ShipError {
  return shipError(
    'internal',
    `${label} failed in a way that Ship does not know.`,
    'Look at the log; retry, and report it if it stays so.',
  );
}
