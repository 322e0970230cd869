/** Whether the keys are good, asked of the services themselves with their own clients. */
import { Octokit } from '@octokit/rest';
import { AuthenticationError, Sandbox, Template } from 'e2b';
import type { Finding } from '../examine.ts';
import type { Values } from './formats.ts';

const ANSWER_TIMEOUT_MS = 15_000;

/** Where each provider tells who has a good key, and how it wants the key. */
const PROVIDERS = {
  ANTHROPIC_API_KEY: {
    url: 'https://api.anthropic.com/v1/models',
    headers: (key: string) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  },
  OPENAI_API_KEY: { url: 'https://api.openai.com/v1/models', headers: bearer },
  // Its list of models is open to everybody; what a key may do is not.
  OPENROUTER_API_KEY: { url: 'https://openrouter.ai/api/v1/key', headers: bearer },
} as const;

/** What the client would print of a refusal is said in the finding. */
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

/** What the service said of the key; a service that cannot be asked says nothing of it, and throws. */
type Answer = { isGood: true; detail: string } | { isGood: false };

async function judged(check: string, name: string, ask: () => Promise<Answer>): Promise<Finding> {
  try {
    const answer = await ask();
    if (answer.isGood) return { check, verdict: 'pass', detail: answer.detail };
    const remedy = `Make a new key, export it as ${name} and run this again.`;
    return { check, verdict: 'fail', detail: `it refuses ${name}`, remedy };
  } catch {
    return {
      check,
      verdict: 'warn',
      detail: `it could not be asked whether ${name} is good`,
      remedy: 'Check the connection and run this again; with --offline nobody is asked.',
    };
  }
}

async function askE2b(apiKey: string): Promise<Answer> {
  try {
    const options = { apiKey, requestTimeoutMs: ANSWER_TIMEOUT_MS };
    await Sandbox.list({ ...options, limit: 1 }).nextItems();
    return { isGood: true, detail: 'the key is good' };
  } catch (error) {
    if (error instanceof AuthenticationError) return { isGood: false };
    throw error;
  }
}

async function checkTemplate(name: string, apiKey: string): Promise<Finding> {
  const check = `E2B template ${name}`;
  const remedy = 'ship deploy builds it; with --rebuild-template it does so again.';
  try {
    const options = { apiKey, requestTimeoutMs: ANSWER_TIMEOUT_MS };
    if (await Template.exists(name, options)) return { check, verdict: 'pass', detail: 'built' };
    return { check, verdict: 'warn', detail: 'not there yet', remedy };
  } catch {
    return { check, verdict: 'warn', detail: 'it could not be asked for', remedy };
  }
}

async function askGitHub(auth: string, baseUrl: string | undefined): Promise<Answer> {
  const request = { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) };
  const where = baseUrl === undefined ? {} : { baseUrl };
  const octokit = new Octokit({ auth, request, log: SILENT, ...where });
  try {
    const { data } = await octokit.users.getAuthenticated();
    return { isGood: true, detail: `the token is good, and ${data.login}’s` };
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
  if (response.ok) return { isGood: true, detail: 'the key is good' };
  if (response.status === 401 || response.status === 403) return { isGood: false };
  throw new Error(`status ${response.status}`);
}

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}
