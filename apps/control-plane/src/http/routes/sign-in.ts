import { Me, SignIn, SignInLink, SignInWays, type TokenId } from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { createSignInLink, renewed, signIn, signOut } from '../auth/browser.ts';
import { nameOf } from '../auth/caller.ts';
import { endpoint } from '../endpoint.ts';

export const signInRoutes = ({ auth, workspace }: Pick<ApiDeps, 'auth' | 'workspace'>) => {
  /** The token's name. */
  const nameOfToken = async (tokenId: TokenId) => {
    const { tokens } = unwrap(await workspace().listTokens());
    return tokens.find((token) => token.tokenId === tokenId)?.name ?? tokenId;
  };
  return [
    endpoint({
      method: 'get',
      path: '/sign-in',
      summary: 'How a browser may sign in; needs no authentication',
      response: SignInWays,
      handle: async () => ({ ways: [auth.mode === 'team' ? 'token' : 'link'] }),
    }),
    endpoint({
      method: 'post',
      path: '/sign-in',
      summary:
        'Gives a browser a cookie for an API token, the owner’s token or the code of a link; wrong ones are rate-limited',
      body: SignIn,
      response: null,
      async handle({ body, request, headers }) {
        headers().append('set-cookie', await signIn(auth, request, body));
      },
    }),
    endpoint({
      method: 'post',
      path: '/sign-in/links',
      summary:
        'Creates the code of a link that signs one browser in as the caller; valid once, for 10 minutes',
      response: SignInLink,
      status: 201,
      handle: ({ caller }) => createSignInLink(auth, caller),
    }),
    endpoint({
      method: 'post',
      path: '/sign-out',
      summary: 'Signs this browser out and deletes its cookie',
      response: null,
      async handle({ request, headers }) {
        headers().append('set-cookie', await signOut(auth, request));
      },
    }),
    endpoint({
      method: 'get',
      path: '/me',
      summary: 'The name of the caller',
      response: Me,
      async handle({ caller, request, headers }) {
        const cookie = await renewed(auth, request);
        if (cookie !== undefined) headers().append('set-cookie', cookie);
        return {
          name: caller.kind === 'token' ? await nameOfToken(caller.tokenId) : nameOf(caller),
          canSignOut: auth.mode === 'team' && request.headers.get('authorization') === null,
        };
      },
    }),
  ];
};
