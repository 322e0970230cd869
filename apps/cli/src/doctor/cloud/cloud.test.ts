import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkFormats, wellFormed } from './formats.ts';
import { checkServices } from './services.ts';

const GOOD = {
  e2b: 'e2b_good0123456789',
  github: 'ghp_good0123456789012345',
  model: 'sk-good0123456789',
};

/** E2B's and GitHub's responses on loopback to a valid key and to any other. */
let server: Server;
let url: string;
const before = process.env.E2B_API_URL;

beforeAll(async () => {
  server = createServer((request, response) => {
    const key = `${String(request.headers['x-api-key'])} ${request.headers.authorization ?? ''}`;
    const isGood = Object.values(GOOD).some((good) => key.includes(good));
    const isTemplate = request.url?.startsWith('/templates/') ?? false;
    response.writeHead(isGood ? (isTemplate ? 404 : 200) : 401, {
      'content-type': 'application/json',
    });
    const list = request.url === '/user' ? '{"login":"ada"}' : '[]';
    response.end(isGood && !isTemplate ? list : '{"code":401,"message":"no"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env.E2B_API_URL = url;
});

afterAll(() => {
  if (before === undefined) delete process.env.E2B_API_URL;
  else process.env.E2B_API_URL = before;
  server.close();
});

const ask = ((_input: string, init: RequestInit) => fetch(url, init)) as typeof fetch;

const verdicts = async (e2b: string, github: string, model: string, apiUrl = url) => {
  const values = new Map([
    ['E2B_CLOUD_API_KEY', e2b],
    ['GITHUB_TOKEN', github],
    ['GITHUB_API_URL', apiUrl],
    ['OPENAI_API_KEY', model],
  ]);
  const findings = await checkServices(values, ask);
  return Object.fromEntries(findings.map(({ check, verdict }) => [check, verdict]));
};

describe('keys of a deployment', () => {
  it('[DP5] valid keys pass the services’ check', async () => {
    expect(await verdicts(GOOD.e2b, GOOD.github, GOOD.model)).toEqual({
      'E2B answers': 'pass',
      'E2B template ship': 'warn',
      'GitHub answers': 'pass',
      'api.openai.com answers': 'pass',
    });
  });

  it('[DP5] refused keys fail with a remedy', async () => {
    expect(await verdicts('e2b_bad', 'ghp_bad', 'sk-bad')).toMatchObject({
      'E2B answers': 'fail',
      'GitHub answers': 'fail',
      'api.openai.com answers': 'fail',
    });
  });

  it('[DP5] an unreachable service is not a verdict on the key', async () => {
    const unreachable = 'http://127.0.0.1:9';
    expect(await verdicts(GOOD.e2b, GOOD.github, GOOD.model, unreachable)).toMatchObject({
      'GitHub answers': 'warn',
    });
  });

  it('[DP5] malformed keys are not sent to any service; one model is enough', () => {
    const values = new Map([
      ['OPENAI_API_KEY', 'nonsense'],
      ['ANTHROPIC_API_KEY', 'sk-ant-0123456789'],
      ['AUTH_MODE', 'team'],
    ]);
    expect([...wellFormed(values).keys()]).toEqual(['ANTHROPIC_API_KEY', 'AUTH_MODE']);
    const failed = checkFormats(values).filter(({ verdict }) => verdict === 'fail');
    expect(failed.map(({ check }) => check)).toEqual([
      'PUBLIC_URL',
      'E2B_API_KEY',
      'GITHUB_TOKEN',
      'OPENAI_API_KEY',
    ]);
    for (const finding of failed) expect('remedy' in finding && finding.remedy).toBeTruthy();
  });
});
