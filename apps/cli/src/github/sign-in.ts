import { Failure } from '../failure.ts';
import { dataFolderAt } from '../where.ts';
import { deviceLogin } from './device-login.ts';
import { forgetToken, githubApiUrl, githubUrl, keepToken } from './kept-token.ts';

interface SignInOptions {
  clientId?: string;
  url?: string;
  data: string;
}

export async function signIn(
  { clientId, url: wanted, data }: SignInOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const id = clientId ?? env.GITHUB_OAUTH_CLIENT_ID;
  if (!id)
    throw new Failure(
      'no OAuth App is known to sign in with',
      'Make one at GitHub (Settings → Developer settings → OAuth Apps), tick “Enable Device Flow”, and give its client id\nwith --client-id or GITHUB_OAUTH_CLIENT_ID. Or export GITHUB_TOKEN instead.',
    );
  const url = (wanted ?? githubUrl(env)).replace(/\/+$/, '');
  const { token, login } = await deviceLogin({
    clientId: id,
    url,
    apiUrl: githubApiUrl(url, wanted === undefined ? env : {}),
    onCode: ({ url: page, code, minutes }) => {
      process.stdout.write(`Open ${page} and type ${code} (within ${minutes} min).\n`);
    },
  });
  keepToken(dataFolderAt(data), { url, login, token });
  process.stdout.write(`Signed in to ${url} as ${login}. It is used from the next ship up on.\n`);
  if (url !== githubUrl(env))
    process.stdout.write(`Export GITHUB_URL=${url} where you start it: only then it is used.\n`);
  if (env.GITHUB_TOKEN)
    process.stdout.write('GITHUB_TOKEN is exported and goes first where it is.\n');
}

export function signOut({ data }: { data: string }): void {
  forgetToken(dataFolderAt(data));
  process.stdout.write(
    'Forgotten here. To make the token useless, revoke the App at GitHub: Settings → Applications.\n',
  );
}
