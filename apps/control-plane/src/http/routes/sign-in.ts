import { Me, SignIn, SignInWays, type TokenId } from '@ship/protocol';
import { unwrap } from '../../platform/outcome.ts';
import type { ApiParts } from '../api.ts';
import { signIn, signOut } from '../auth/browser.ts';
import { nameOf } from '../auth/caller.ts';
import { endpoint } from '../endpoint.ts';

export const signInRoutes = ({ auth, workspace }: Pick<ApiParts, 'auth' | 'workspace'>) => {
  /** As its maker called it. */
  const nameOfToken = async (tokenId: TokenId) => {
    const { tokens } = unwrap(await workspace().listTokens());
    return tokens.find((token) => token.tokenId === tokenId)?.name ?? tokenId;
  };
  return [
    endpoint({
      method: 'get',
      path: '/sign-in',
      summary: 'How a browser may sign in; nobody is asked who they are',
      answer: SignInWays,
      handle: async () => ({ ways: auth.mode === 'team' ? ['token' as const] : [] }),
    }),
    endpoint({
      method: 'post',
      path: '/sign-in',
      summary:
        'Gives a browser a cookie for an API token, or the owner’s; wrong ones are slowed down',
      body: SignIn,
      answer: null,
      async handle({ body: { token }, request, headers }) {
        headers().append('set-cookie', await signIn(auth, request, token));
      },
    }),
    endpoint({
      method: 'post',
      path: '/sign-out',
      summary: 'Takes the cookie of this browser away, and ends it',
      answer: null,
      async handle({ request, headers }) {
        headers().append('set-cookie', await signOut(auth, request));
      },
    }),
    endpoint({
      method: 'get',
      path: '/me',
      summary: 'As whom the caller is known',
      answer: Me,
      handle: async ({ caller, request }) => ({
        name: caller.kind === 'token' ? await nameOfToken(caller.tokenId) : nameOf(caller),
        canSignOut: auth.mode === 'team' && request.headers.get('authorization') === null,
      }),
    }),
  ];
};
