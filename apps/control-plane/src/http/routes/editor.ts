import { EditorTarget, EditorTargetShown, EditorView, SessionId } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { requestOriginOf } from '../request-origin.ts';
import { endpoint } from '../endpoint.ts';
import type { HostRules } from '../guard.ts';
import { portOrigin } from '../ports/host-name.ts';

const params = z.object({ sessionId: SessionId });
const path = '/sessions/{sessionId}/editor';

/** Adds the host of its port, which VS Code needs in file URLs. */
function withHost(
  view: EditorView,
  sessionId: SessionId,
  url: string,
  hosts: HostRules,
): EditorView {
  if (view.state !== 'ready') return view;
  const origin = portOrigin(requestOriginOf(url), { sessionId, port: view.port }, hosts);
  return origin === undefined ? view : { ...view, host: new URL(origin).host };
}

export const editorRoutes = ({ session, hosts }: ApiDeps) => [
  endpoint({
    method: 'get',
    path,
    summary: 'Whether VS Code runs in the sandbox, or the progress of its start',
    params,
    response: EditorView,
    handle: async ({ params: { sessionId }, request }) =>
      withHost(unwrap(await session(sessionId).editor('look')), sessionId, request.url, hosts),
  }),
  endpoint({
    method: 'post',
    path,
    summary:
      'Starts VS Code in the sandbox; installs it first if needed, once per machine or else in the sandbox',
    params,
    response: EditorView,
    handle: async ({ params: { sessionId }, request }) =>
      withHost(unwrap(await session(sessionId).editor('open')), sessionId, request.url, hosts),
  }),
  endpoint({
    method: 'post',
    path: `${path}/file`,
    summary: 'Shows a line of a file in the VS Code that is open in a browser',
    params,
    body: EditorTarget,
    response: EditorTargetShown,
    handle: async ({ params: { sessionId }, body }) => ({
      isShown: unwrap(await session(sessionId).showInEditor(body)),
    }),
  }),
];
