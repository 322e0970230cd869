import { createOAuthDeviceAuth } from '@octokit/auth-oauth-device';
import { Octokit } from '@octokit/rest';
import { Failure } from '../failure.ts';

export interface DeviceLogin {
  clientId: string;
  /** `https://github.com`, or a GitHub Enterprise Server. */
  url: string;
  apiUrl: string;
  /** Shows the person the URL and the code. */
  onCode: (code: { url: string; code: string; minutes: number }) => void;
  now?: () => number;
}

/** GitHub expires a code after 15 minutes; a server that never does must not block forever. */
const LONGEST_MS = 20 * 60_000;
const REQUEST_MS = 30_000;
/** Contents and pull requests of private repositories need this scope: OAuth has no finer one. */
const SCOPES = ['repo'];

/** OAuth device flow: the person signs in with a code in any browser, and types no credential here. */
export async function deviceLogin(login: DeviceLogin): Promise<{ token: string; login: string }> {
  const { clientId, apiUrl, onCode, now = Date.now } = login;
  let endsAt = now() + LONGEST_MS;
  const octokit = new Octokit({
    baseUrl: apiUrl,
    userAgent: 'ship',
    log: { debug() {}, info() {}, warn() {}, error() {} },
    request: {
      fetch: (input: string, init: RequestInit) => {
        if (now() > endsAt) throw expired();
        return fetch(input, { ...init, signal: AbortSignal.timeout(REQUEST_MS) });
      },
    },
  });
  const auth = createOAuthDeviceAuth({
    clientType: 'oauth-app',
    clientId,
    scopes: SCOPES,
    request: octokit.request,
    onVerification: ({ verification_uri: url, user_code: code, expires_in: seconds }) => {
      endsAt = Math.min(endsAt, now() + seconds * 1_000);
      onCode({ url, code, minutes: Math.round(seconds / 60) });
    },
  });
  try {
    const { token } = await auth({ type: 'oauth' });
    const { data } = await octokit.request('GET /user', {
      headers: { authorization: `token ${token}` },
    });
    return { token, login: data.login };
  } catch (error) {
    throw explained(error, login);
  }
}

function expired(): Failure {
  return new Failure('the code has expired', 'Run the command again and type the new code sooner.');
}

/** Maps GitHub's error codes to remedies. GitHub's message is omitted: it may echo what was sent. */
function explained(error: unknown, { url }: DeviceLogin): Failure {
  if (error instanceof Failure) return error;
  // Octokit wraps errors of its fetch.
  if (error instanceof Error && error.cause instanceof Failure) return error.cause;
  switch (codeOf(error)) {
    case 'access_denied':
      return new Failure('the sign-in was refused in the browser', 'Run the command again.');
    case 'expired_token':
      return expired();
    case 'device_flow_disabled':
      return new Failure(
        'this OAuth App does not allow the device flow',
        'Tick “Enable Device Flow” in its settings at GitHub.',
      );
    case 'incorrect_client_credentials':
    case 'Not Found':
      return new Failure(
        `${url} has no OAuth App with this client id`,
        'Give the client id of an OAuth App with --client-id or GITHUB_OAUTH_CLIENT_ID.',
      );
    default:
      return new Failure(
        `${url} did not answer like GitHub`,
        'Check the address (--url) and the network, then run the command again.',
      );
  }
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { data } = (error.response ?? {}) as { data?: { error?: unknown } };
  return typeof data?.error === 'string' ? data.error : undefined;
}
