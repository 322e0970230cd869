import { ApiToken, TokenCreate, TokenCreated, TokenId, TokenList } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const tokenRoutes = ({ workspace }: ApiDeps) => [
  endpoint({
    method: 'get',
    path: '/tokens',
    summary: 'All API tokens, without values',
    response: TokenList,
    handle: async () => unwrap(await workspace().listTokens()),
  }),
  endpoint({
    method: 'post',
    path: '/tokens',
    summary: 'Creates an API token; only this response has its value',
    body: TokenCreate,
    response: TokenCreated,
    status: 201,
    handle: async ({ body: { name } }) => unwrap(await workspace().createToken(name)),
  }),
  endpoint({
    method: 'delete',
    path: '/tokens/{tokenId}',
    summary: 'Revokes an API token at once',
    params: z.object({ tokenId: TokenId }),
    response: ApiToken,
    handle: async ({ params: { tokenId } }) => unwrap(await workspace().revokeToken(tokenId)),
  }),
];
