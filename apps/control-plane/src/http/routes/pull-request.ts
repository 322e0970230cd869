import {
  BaseUpdate,
  Diff,
  PlainCommand,
  PullRequestEdit,
  PullRequestMerge,
  PullRequestView,
  SessionId,
} from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { fingerprintOf } from '../command.ts';
import { endpoint } from '../endpoint.ts';

const params = z.object({ sessionId: SessionId });
const path = '/sessions/{sessionId}/pull-request';

const CHANGES = {
  ready: 'Marks the draft as ready for review',
  close: 'Closes the pull request without merging it; the branch stays',
} as const;

export const pullRequestRoutes = ({ session }: ApiDeps) => [
  endpoint({
    method: 'get',
    path,
    summary: 'The current pull request on the forge, with its checks',
    params,
    response: PullRequestView,
    handle: async ({ params: { sessionId } }) => unwrap(await session(sessionId).pullRequest()),
  }),
  endpoint({
    method: 'patch',
    path,
    summary: 'Changes title and text; the generated part of the body follows the text',
    params,
    body: PullRequestEdit,
    response: PullRequestView,
    async handle({ params: { sessionId }, body, request }) {
      const key = await requestKey(request, body);
      const change = { kind: 'edit', title: body.title, body: body.body } as const;
      return unwrap(await session(sessionId).changePullRequest(key, change));
    },
  }),
  endpoint({
    method: 'get',
    path: `${path}/diff`,
    summary: 'The diff that a merge would bring: pushed commits, without work in progress',
    params,
    response: Diff,
    handle: async ({ params: { sessionId } }) => unwrap(await session(sessionId).pullRequestDiff()),
  }),
  ...(['ready', 'close'] as const).map((kind) =>
    endpoint({
      method: 'post',
      path: `${path}/${kind}`,
      summary: CHANGES[kind],
      params,
      body: PlainCommand,
      response: PullRequestView,
      async handle({ params: { sessionId }, body, request }) {
        const key = await requestKey(request, body);
        return unwrap(await session(sessionId).changePullRequest(key, { kind }));
      },
    }),
  ),
  endpoint({
    method: 'post',
    path: `${path}/merge`,
    summary: 'Merges the reviewed commits; refused while the agent works',
    params,
    body: PullRequestMerge,
    response: PullRequestView,
    async handle({ params: { sessionId }, body, request }) {
      const key = await requestKey(request, body);
      const { method, headSha } = body;
      const change = { kind: 'merge', method, headSha } as const;
      return unwrap(await session(sessionId).changePullRequest(key, change));
    },
  }),
  endpoint({
    method: 'post',
    path: '/sessions/{sessionId}/update-from-base',
    summary: 'Merges newer commits of the base into the branch; refused while the agent works',
    params,
    body: PlainCommand,
    response: BaseUpdate,
    async handle({ params: { sessionId }, body, request }) {
      const key = await requestKey(request, body);
      return unwrap(await session(sessionId).updateFromBase(key));
    },
  }),
];

async function requestKey(request: Request, body: PlainCommand) {
  return { requestId: body.requestId, fingerprint: fingerprintOf(request, body) };
}
