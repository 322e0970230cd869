import { verify } from '@octokit/webhooks-methods';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { checkWebhook, temporaryFolder, testForge, type TestForge } from './support/forge.ts';
import { commit, git, pushedBranch, seeded } from './support/git.ts';

interface Received {
  event: string;
  delivery: string;
  signature: string;
  body: string;
  payload: { action?: string; [name: string]: unknown };
}

const secret = 'a secret of the test';
const received: Received[] = [];
let refusals = 0;
let server: Server;
let url: string;
let forge: TestForge;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      if (refusals > 0) {
        refusals -= 1;
        response.writeHead(500).end();
        return;
      }
      received.push({
        event: String(request.headers['x-github-event']),
        delivery: String(request.headers['x-github-delivery']),
        signature: String(request.headers['x-hub-signature-256']),
        body,
        payload: JSON.parse(body) as Received['payload'],
      });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  forge = await testForge({ webhooks: [{ url, secret }], webhookRetryMs: 5 });
});
afterAll(async () => {
  await forge.close();
  server.close();
});

const names = () =>
  received.map(({ event, payload }) =>
    payload.action === undefined ? event : `${event}.${payload.action}`,
  );
const until = (expected: string[]) =>
  vi.waitFor(() => expect(names()).toEqual(expect.arrayContaining(expected)), {
    timeout: 20_000,
    interval: 20,
  });

describe('webhooks', () => {
  test('are sent for pushes and the life cycle of a pull request, signed, in GitHub’s format, once each', async () => {
    const octokit = forge.octokit();
    const at = { owner: 'local', repo: 'app' };
    await octokit.rest.repos.createForAuthenticatedUser({ name: 'app' });
    const work = await seeded(await temporaryFolder(), forge.gitUrl, 'local/app');
    await pushedBranch(work, 'topic', { 'b.txt': 'b\n' });
    const { data: pull } = await octokit.rest.pulls.create({
      ...at,
      title: 't',
      head: 'topic',
      base: 'main',
      draft: true,
    });
    await commit(work, { 'b.txt': 'c\n' });
    await git(work, 'push', '-q', 'origin', 'topic');
    const on = { ...at, pull_number: pull.number };
    await octokit.graphql(
      'mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId } }',
      { id: pull.node_id },
    );
    await octokit.rest.pulls.update({ ...on, title: 'better title' });
    await octokit.rest.issues.createComment({ ...at, issue_number: pull.number, body: 'hello' });
    await octokit.rest.pulls.createReview({
      ...on,
      event: 'COMMENT',
      body: 'r',
      comments: [{ path: 'b.txt', line: 1, body: 'l' }],
    });
    const sha = (await octokit.rest.pulls.get(on)).data.head.sha;
    await octokit.rest.repos.createCommitStatus({ ...at, sha, state: 'success' });
    await octokit.rest.checks.create({
      ...at,
      name: 'ci',
      head_sha: sha,
      status: 'completed',
      conclusion: 'success',
    });
    await octokit.rest.pulls.merge({ ...on, merge_method: 'squash' });
    await octokit.rest.git.deleteRef({ ...at, ref: 'heads/topic' });
    await octokit.rest.issues.create({ ...at, title: 'i' });
    const expected = [
      'push',
      'pull_request.opened',
      'pull_request.synchronize',
      'pull_request.ready_for_review',
      'pull_request.edited',
      'issue_comment.created',
      'pull_request_review.submitted',
      'pull_request_review_comment.created',
      'status',
      'check_run.completed',
      'pull_request.closed',
      'issues.opened',
    ];
    await until(expected);
    expect(names().filter((name) => name === 'pull_request.closed')).toHaveLength(1);
    expect(received.find(({ payload }) => payload.action === 'closed')?.payload).toMatchObject({
      pull_request: { merged: true },
    });
    const pushes = received.filter(({ event }) => event === 'push').map(({ payload }) => payload);
    expect(pushes.map((push) => [push['ref'], push['created'], push['deleted']])).toEqual([
      ['refs/heads/main', true, false],
      ['refs/heads/topic', true, false],
      ['refs/heads/topic', false, false],
      ['refs/heads/main', false, false],
      ['refs/heads/topic', false, true],
    ]);
    for (const { body, signature, event, payload } of received) {
      expect(await verify(secret, body, signature)).toBe(true);
      expect(await verify('another', body, signature)).toBe(false);
      expect(checkWebhook(event, payload)).toEqual([]);
    }
    expect(new Set(received.map(({ delivery }) => delivery)).size).toBe(received.length);
  });

  test('a failing target is retried in order, up to a limit', async () => {
    const octokit = forge.octokit();
    const at = { owner: 'local', repo: 'app' };
    received.length = 0;
    refusals = 3;
    await octokit.rest.issues.create({ ...at, title: 'first' });
    await octokit.rest.issues.create({ ...at, title: 'second' });
    await vi.waitFor(() => expect(received).toHaveLength(2), { timeout: 20_000 });
    expect(received.map(({ payload }) => (payload['issue'] as { title: string }).title)).toEqual([
      'first',
      'second',
    ]);
    received.length = 0;
    refusals = 5;
    await octokit.rest.issues.create({ ...at, title: 'lost' });
    await octokit.rest.issues.create({ ...at, title: 'kept' });
    await vi.waitFor(() => expect(received).toHaveLength(1), { timeout: 20_000 });
    expect(received[0]?.payload['issue']).toMatchObject({ title: 'kept' });
  });

  test('deliveries not sent before a stop are sent after the start', async () => {
    const root = await temporaryFolder();
    const closed = 'http://127.0.0.1:9/hook';
    const first = await testForge({ root, webhooks: [{ url, secret }], webhookRetryMs: 60_000 });
    await first.octokit().rest.repos.createForAuthenticatedUser({ name: 'app' });
    received.length = 0;
    refusals = 1;
    await first.octokit().rest.issues.create({ owner: 'local', repo: 'app', title: 'durable' });
    await vi.waitFor(() => expect(refusals).toBe(0), { timeout: 20_000 });
    await first.close();
    expect(received).toEqual([]);
    const second = await testForge({
      root,
      webhooks: [
        { url, secret },
        { url: closed, secret, events: ['push'] },
      ],
    });
    await vi.waitFor(() => expect(names()).toEqual(['issues.opened']), { timeout: 20_000 });
    await second.close();
  });
});
