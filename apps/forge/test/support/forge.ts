import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Octokit } from 'octokit';
import { expect, vi } from 'vitest';
import { atEndOfFile } from '../../../../scripts/testing/end-of-file.ts';
import { type ForgeOptions, type RunningForge, startForge } from '../../src/index.ts';
import { GitHubDescription } from './openapi.ts';

// Real git starts many processes: on a busy machine five seconds are not enough.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const description = new GitHubDescription();
export const verdicts = { checked: 0, invalid: [] as string[] };

/** A response that violates GitHub's description fails the test file. */
function expectValidResponses(): void {
  // oxlint-disable-next-line vitest/no-standalone-expect -- it checks all tests of the file
  expect(verdicts.invalid.splice(0)).toEqual([]);
}

export async function checkedFetch(
  apiUrl: string,
  url: string,
  init: RequestInit = {},
): Promise<Response> {
  const response = await fetch(url, init);
  const text = await response.clone().text();
  const path = new URL(url).pathname;
  const json = (response.headers.get('content-type') ?? '').startsWith('application/json');
  if (!url.startsWith(apiUrl) || path.endsWith('/graphql') || (text !== '' && !json))
    return response;
  verdicts.checked += 1;
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  const isRegistration = path === '/ship/repositories' && response.ok;
  verdicts.invalid.push(
    ...(isRegistration
      ? description.schema('#/components/schemas/full-repository', body, path)
      : description.check(init.method ?? 'GET', path, response.status, body)),
  );
  return response;
}

export function checkWebhook(event: string, payload: { action?: string }): string[] {
  const name = ['webhook', event, payload.action]
    .filter((part) => part !== undefined)
    .join('-')
    .replaceAll('_', '-');
  return description.schema(`#/components/schemas/${name}`, payload, name);
}

export interface TestForge extends RunningForge {
  root: string;
  log: string[];
  octokit(token?: string): Octokit;
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forge-'));
  atEndOfFile(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

export async function testForge(options: Partial<ForgeOptions> = {}): Promise<TestForge> {
  atEndOfFile(expectValidResponses);
  const root = options.root ?? (await temporaryFolder());
  const log: string[] = [];
  const forge = await startForge({ log: (line) => log.push(line), ...options, root });
  const request = {
    fetch: (url: string, init?: RequestInit) => checkedFetch(forge.apiUrl, url, init),
  };
  return {
    ...forge,
    root,
    log,
    octokit: (token) =>
      new Octokit({
        baseUrl: forge.apiUrl,
        ...(token === undefined ? {} : { auth: token }),
        request,
        throttle: { enabled: false },
        retry: { enabled: false },
      }),
    fetch: (path, init) => checkedFetch(forge.apiUrl, `${forge.apiUrl}${path}`, init),
  };
}

/** Status and body of a request that must fail. */
export async function failure(
  promise: Promise<unknown>,
): Promise<{ status: number; data: Record<string, unknown> }> {
  try {
    await promise;
  } catch (error) {
    const { status, response } = error as {
      status: number;
      response?: { data: Record<string, unknown> };
    };
    return { status, data: response?.data ?? {} };
  }
  throw new Error('the request was expected to fail');
}
