import { Board, Card, CardCreate, CardEdit, CardId, CardMove } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

const params = z.object({ cardId: CardId });
const path = '/board/cards/{cardId}';

export const boardRoutes = ({ workspace }: ApiDeps) => [
  endpoint({
    method: 'get',
    path: '/board',
    summary: 'All columns with their cards',
    response: Board,
    handle: async () => unwrap(await workspace().readBoard()),
  }),
  endpoint({
    method: 'patch',
    path: '/board',
    summary: 'Moves a card',
    body: CardMove,
    response: Card,
    handle: async ({ body }) => unwrap(await workspace().moveCard(body)),
  }),
  endpoint({
    method: 'post',
    path: '/board/cards',
    summary: 'Adds a task to the backlog',
    body: CardCreate,
    response: Card,
    status: 201,
    handle: async ({ body }) => unwrap(await workspace().createCard(body)),
  }),
  endpoint({
    method: 'patch',
    path,
    summary: 'Changes a task that was not started',
    params,
    body: CardEdit,
    response: Card,
    handle: async ({ params: { cardId }, body }) =>
      unwrap(await workspace().editCard(cardId, body)),
  }),
  endpoint({
    method: 'delete',
    path,
    summary: 'Deletes a task that was not started',
    params,
    response: null,
    handle: async ({ params: { cardId } }) => unwrap(await workspace().removeCard(cardId)),
  }),
];
