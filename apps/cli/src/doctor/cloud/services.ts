/** Checks the keys at the services, with their official clients. */
import { Octokit } from '@octokit/rest';
import { AuthenticationError, Sandbox, Template } from 'e2b';
import type { Finding } from '../examine.ts';
import type { Values } from './formats.ts';

const ANSWER_TIMEOUT_MS = 15_000;

/** Each provider's endpoint to check a key, and its headers. */
const PROVIDERS = {
  ANTHROPIC_API_KEY: {
    url: 'https://api.anthropic.com/v1/models',
    headers: (key: string) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  },
  OPENAI_API_KEY: { url: 'https://api.openai.com/v1/models', headers: bearer },
  // OpenRouter's list of models is public, so it cannot check a key.
  OPENROUTER_API_KEY: { url: 'https://openrouter.ai/api/v1/key', headers: bearer },
} as const;

/** The finding reports a refusal; the client must not print it too. */
const silent = () => undefined;
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

export async function checkServices(values: Values, ask: typeof fetch = fetch): Promise<Finding[]> {
  const e2bKey = values.get('E2B_CLOUD_API_KEY');
  const token = values.get('GITHUB_TOKEN');
  const checks: Promise<Finding>[] = [];
  if (e2bKey !== undefined) {
    checks.push(judged('E2B answers', 'E2B_API_KEY', () => askE2b(e2bKey)));
    checks.push(checkTemplate(values.get('E2B_TEMPLATE') ?? 'ship', e2bKey));
  }
  if (token !== undefined) {
    const apiUrl = values.get('GITHUB_API_URL');
    checks.push(judged('GitHub answers', 'GITHUB_TOKEN', () => askGitHub(token, apiUrl)));
  }
  for (const [name, { url, headers }] of Object.entries(PROVIDERS)) {
    const key = values.get(name);
    if (key === undefined) continue;
    const check = `${new URL(url).hostname} answers`;
    checks.push(judged(check, name, () => askProvider(ask, url, headers(key))));
  }
  return Promise.all(checks);
}

/** The service's answer about the key; an unreachable service throws. */
type Answer = { isGood: true; detail: string } | { isGood: false };

async function judged(check: string, name: string, ask: () => Promise<Answer>): Promise<Finding> {
  try {
    const answer = await ask();
    if (answer.isGood) return { check, verdict: 'pass', detail: answer.detail };
    const remedy = `Create a new key, export it as ${name} and run this again.`;
    return { check, verdict: 'fail', detail: `it rejects ${name}`, remedy };
  } catch {
    return {
      check,
      verdict: 'warn',
      detail: `${name} could not be checked`,
      remedy: 'Check the connection and run this again; --offline skips this check.',
    };
  }
}

async function askE2b(apiKey: string): Promise<Answer> {
  try {
    const options = { apiKey, requestTimeoutMs: ANSWER_TIMEOUT_MS };
    await Sandbox.list({ ...options, limit: 1 }).nextItems();
    return { isGood: true, detail: 'the key is valid' };
  } catch (error) {
    if (error instanceof AuthenticationError) return { isGood: false };
    throw error;
  }
}

async function checkTemplate(name: string, apiKey: string): Promise<Finding> {
  const check = `E2B template ${name}`;
  const remedy = 'ship deploy builds it; --rebuild-template builds it again.';
  try {
    const options = { apiKey, requestTimeoutMs: ANSWER_TIMEOUT_MS };
    if (await Template.exists(name, options)) return { check, verdict: 'pass', detail: 'built' };
    return { check, verdict: 'warn', detail: 'does not exist yet', remedy };
  } catch {
    return { check, verdict: 'warn', detail: 'could not be checked', remedy };
  }
}

async function askGitHub(auth: string, baseUrl: string | undefined): Promise<Answer> {
  const request = { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) };
  const where = baseUrl === undefined ? {} : { baseUrl };
  const octokit = new Octokit({ auth, request, log: SILENT, ...where });
  try {
    const { data } = await octokit.users.getAuthenticated();
    return { isGood: true, detail: `the token is valid and belongs to ${data.login}` };
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 401)
      return { isGood: false };
    throw error;
  }
}

async function askProvider(
  ask: typeof fetch,
  url: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await ask(url, { headers, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  await response.body?.cancel();
  if (response.ok) return { isGood: true, detail: 'the key is valid' };
  if (response.status === 401 || response.status === 403) return { isGood: false };
  throw new Error(`status ${response.status}`);
}

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}
