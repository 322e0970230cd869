import { DraftCreate, DraftId, DraftView } from '@ship/protocol';
import * as z from 'zod';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const draftRoutes = ({ warmPool }: Pick<ApiDeps, 'warmPool'>) => [
  endpoint({
    method: 'post',
    path: '/drafts',
    summary: 'Prewarms an agent for a session that is about to start; repeat the call to keep it',
    body: DraftCreate,
    response: DraftView,
    handle: ({ body: { draftId } }) => warmPool().holdDraft(draftId),
  }),
  endpoint({
    method: 'delete',
    path: '/drafts/{draftId}',
    summary: 'Releases a prewarmed agent; an unknown draft is not an error',
    params: z.object({ draftId: DraftId }),
    response: null,
    handle: ({ params: { draftId } }) => warmPool().releaseDraft(draftId),
  }),
];
