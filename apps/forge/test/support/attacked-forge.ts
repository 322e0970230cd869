/** A forge with several kinds of tokens, and a client for malformed requests. */
import { request as httpRequest } from 'node:http';
import { beforeAll } from 'vitest';
import { temporaryFolder, testForge, type TestForge } from './forge.ts';
import { seeded } from './git.ts';

export interface AttackedForge {
  forge: TestForge;
  work: string;
  withToken(token: string): string;
  raw: Raw;
}

type Raw = (
  path: string,
  headers?: Record<string, string>,
  method?: string,
  body?: Buffer,
) => Promise<{ status: number; body: string }>;

const tokens = [
  { token: 'writer-token', login: 'ada' },
  { token: 'reader-token', login: 'bob', access: 'read' as const },
  { token: 'scoped-token', login: 'eve', repositories: ['ada/other'] },
  { token: 'expired-token', login: 'old', expiresAt: 1 },
];

/** Initialized before the first test of the file. */
export function attackedForge(): AttackedForge {
  const world = {} as AttackedForge;
  beforeAll(async () => {
    const forge = await testForge({ tokens });
    const withToken = (token: string) =>
      forge.gitUrl.replace('http://', `http://x-access-token:${token}@`);
    const octokit = forge.octokit('writer-token');
    await octokit.rest.repos.createForAuthenticatedUser({ name: 'app' });
    await octokit.rest.repos.createForAuthenticatedUser({ name: 'other' });
    const work = await seeded(await temporaryFolder(), withToken('writer-token'), 'ada/app');
    Object.assign(world, { forge, withToken, work, raw: rawRequests(forge.apiUrl) });
    return () => forge.close();
  });
  return world;
}

/** Sends the path unchanged: fetch would normalize it. */
function rawRequests(apiUrl: string): Raw {
  const { hostname, port } = new URL(apiUrl);
  return (path, headers = {}, method = 'GET', body) =>
    new Promise((resolve, reject) => {
      const sent = { authorization: 'token writer-token', ...headers };
      const request = httpRequest({ hostname, port, path, method, headers: sent }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(body);
    });
}
