import { DraftCreate, DraftId, DraftView } from '@ship/protocol';
import * as z from 'zod';
import type { ApiParts } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const draftRoutes = ({ warmPool }: Pick<ApiParts, 'warmPool'>) => [
  endpoint({
    method: 'post',
    path: '/drafts',
    summary:
      'Makes an agent ready for a session that somebody is about to begin; again, it keeps it',
    body: DraftCreate,
    answer: DraftView,
    handle: ({ body: { draftId } }) => warmPool().holdDraft(draftId),
  }),
  endpoint({
    method: 'delete',
    path: '/drafts/{draftId}',
    summary: 'Gives back what was made ready; one that is not there is no error',
    params: z.object({ draftId: DraftId }),
    answer: null,
    handle: ({ params: { draftId } }) => warmPool().releaseDraft(draftId),
  }),
];
