import {
  ForgeCheck,
  type ForgeCredential,
  ForgeList,
  ForgeTokenStored,
  ForgeTokenWrite,
  type GithubForgeInfo,
  type ShipError,
  ShipFailure,
  fail,
  openSettings,
} from '@ship/protocol';
import { checkForge, type ForgeAddress, forgeAddress } from '../../git/index.ts';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

/** Tokens are write-only. */
export const forgeRoutes = ({ workspace, forges }: Pick<ApiDeps, 'workspace' | 'forges'>) => {
  const github = () => forgeAddress('github', forges.bindings);
  const infoOf = async (address: ForgeAddress): Promise<GithubForgeInfo> => {
    const stored = unwrap(await workspace().readForgeToken(address.gitUrl));
    return {
      kind: 'github',
      url: address.gitUrl,
      credentials: [
        ...(stored === null ? [] : [{ source: 'workspace' as const, ...stored }]),
        ...(address.token === null ? [] : [{ source: 'environment' as const }]),
        ...(address.app === null ? [] : [{ source: 'app' as const }]),
      ] satisfies ForgeCredential[],
    };
  };
  return [
    endpoint({
      method: 'get',
      path: '/forges',
      summary: 'The forges and the credentials that Ship has for them, without values',
      response: ForgeList,
      handle: async () => ({
        forges: [
          await infoOf(github()),
          ...(forges.bindings.FORGE_GIT_URL ? [{ kind: 'local' as const }] : []),
        ],
      }),
    }),
    endpoint({
      method: 'put',
      path: '/forges/github/token',
      summary:
        'Sets the GitHub token, which overrides the environment’s; a token that GitHub refuses is not stored',
      body: ForgeTokenWrite,
      response: ForgeTokenStored,
      async handle({ body: { token } }) {
        const address = github();
        const check = await checkForge({ ...address, stored: null, token }, forges.fetcher);
        if (check.state === 'refused')
          throw new ShipFailure(withSentence(check.error, 'Nothing was stored.'));
        const login = check.state === 'accepted' ? check.login : null;
        unwrap(await workspace().writeForgeToken(address.gitUrl, token, login));
        const forge = await infoOf(address);
        if (check.state === 'accepted') return { forge, check };
        const error = withSentence(check.error, 'The token is stored.');
        return { forge, check: { ...check, error } };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/forges/github/token',
      summary: 'Removes the stored token; Ship then uses the environment’s, if any',
      response: null,
      async handle() {
        unwrap(await workspace().removeForgeToken(github().gitUrl));
      },
    }),
    endpoint({
      method: 'post',
      path: '/forges/github/check',
      summary: 'Checks whether GitHub accepts the current credential, and as which user',
      response: ForgeCheck,
      async handle() {
        const address = github();
        const { credentials } = await infoOf(address);
        const [used] = credentials;
        if (used === undefined)
          return fail(
            'not-found',
            `There is no token for ${address.gitUrl}.`,
            'Set one under Settings → Forges.',
            openSettings('forges'),
          );
        const check = await checkForge(address, forges.fetcher);
        if (check.state === 'accepted' && used.source === 'workspace')
          unwrap(await workspace().noteForgeLogin(address.gitUrl, used.setAt, check.login));
        return check;
      },
    }),
  ];
};

const withSentence = (error: ShipError, sentence: string): ShipError => ({
  ...error,
  remedy: `${error.remedy} ${sentence}`,
});
