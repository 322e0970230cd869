import { type SettingsSection, type ShipError, openSettings, shipError } from '@ship/protocol';

/** The boundary where a failure occurred: the same status means different things at different boundaries. */
export type Boundary = 'sandbox' | 'model' | 'git' | 'forge' | 'agent';

/** Facts about a foreign failure, taken from its structure. Its message is left out: it may contain secrets. */
export interface FailureFacts {
  boundary: Boundary;
  /** Class or `name` of the thrown error, such as `RateLimitError`. */
  name?: string;
  /** HTTP status, where there was an answer. */
  status?: number;
  /** Node or undici error code, such as `ECONNREFUSED`. */
  code?: string;
  /** Whether the client library calls the error retryable, when there was no answer to judge by. */
  isRetryable?: boolean;
}

const LABELS: Record<Boundary, string> = {
  sandbox: 'The sandbox service',
  model: 'The model provider',
  git: 'The git server',
  forge: 'The forge',
  agent: 'The agent',
};

/** The settings section with its credentials. Those of the sandbox service are environment variables. */
const SECTIONS: Readonly<Record<string, SettingsSection>> = {
  [LABELS.forge]: 'forges',
  [LABELS.git]: 'forges',
  [LABELS.model]: 'models',
};

/** Checked before the status: the error classes of the official clients are more precise. */
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
  // OpenCode's names for failures of the model provider.
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

/** The only function that gives a foreign failure Ship's code, category and remedy. Total: an unknown failure is `internal`. */
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
    `${label} requires payment.`,
    'Pay the provider or choose another one, then retry.',
    label === LABELS.model ? openSettings('models') : undefined,
  );
}

function rateLimited(label: string): ShipError {
  return shipError(
    'rate-limited',
    `${label} is rate limiting requests.`,
    'No action is needed: Ship retries automatically.',
  );
}

function unavailable(label: string): ShipError {
  return shipError(
    'unavailable',
    `${label} is not available at the moment.`,
    'No action is needed: Ship retries automatically.',
  );
}

function unreachable(label: string): ShipError {
  return shipError(
    'unreachable',
    `${label} cannot be reached.`,
    'Ship retries automatically; check the network if it stays unreachable.',
  );
}

function timedOut(label: string): ShipError {
  return shipError('timed-out', `${label} did not answer in time.`, 'Ship retries automatically.');
}

function gone(label: string): ShipError {
  return shipError(
    'gone',
    `${label} no longer has what was asked for.`,
    'Retry: Ship recreates what is missing from the saved work.',
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
    `${label} has no disk space left.`,
    'Free disk space or stop other sandboxes, then retry.',
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
    'Check the log and retry; report it if it happens again.',
  );
}
