import { EditorTarget, EditorTargetShown, EditorView, SessionId } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/outcome.ts';
import type { ApiParts } from '../api.ts';
import { endpoint } from '../endpoint.ts';

const params = z.object({ sessionId: SessionId });
const path = '/sessions/{sessionId}/editor';

export const editorRoutes = ({ session }: ApiParts) => [
  endpoint({
    method: 'get',
    path,
    summary: 'Whether VS Code runs in the sandbox, and how far it is if not yet',
    params,
    answer: EditorView,
    handle: async ({ params: { sessionId } }) => unwrap(await session(sessionId).editor('look')),
  }),
  endpoint({
    method: 'post',
    path,
    summary:
      'Starts VS Code in the sandbox, and installs it when it is missing: once for a machine, else in the sandbox',
    params,
    answer: EditorView,
    handle: async ({ params: { sessionId } }) => unwrap(await session(sessionId).editor('open')),
  }),
  endpoint({
    method: 'post',
    path: `${path}/file`,
    summary: 'Leads a VS Code that is open in a browser to a line of a file',
    params,
    body: EditorTarget,
    answer: EditorTargetShown,
    handle: async ({ params: { sessionId }, body }) => ({
      isShown: unwrap(await session(sessionId).showInEditor(body)),
    }),
  }),
];
