import { DraftCreate, DraftId, DraftView } from '@ship/protocol';
import * as z from 'zod';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const draftRoutes = ({ warmPool }: Pick<ApiDeps, 'warmPool'>) => [
  endpoint({
    method: 'post',
    path: '/drafts',
    summary:
      'Makes an agent ready for a session that somebody is about to begin; again, it keeps it',
    body: DraftCreate,
    response: DraftView,
    handle: ({ body: { draftId } }) => warmPool().holdDraft(draftId),
  }),
  endpoint({
    method: 'delete',
    path: '/drafts/{draftId}',
    summary: 'Gives back what was made ready; one that is not there is no error',
    params: z.object({ draftId: DraftId }),
    response: null,
    handle: ({ params: { draftId } }) => warmPool().releaseDraft(draftId),
  }),
];
