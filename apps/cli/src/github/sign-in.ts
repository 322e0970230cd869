import { Failure } from '../failure.ts';
import { dataFolderAt } from '../paths.ts';
import { deviceLogin } from './device-login.ts';
import { deleteToken, githubApiUrl, githubUrl, storeToken } from './stored-token.ts';

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
      'no OAuth App is configured for signing in',
      'Create one at GitHub (Settings → Developer settings → OAuth Apps), tick “Enable Device Flow”, and give its client id\nwith --client-id or GITHUB_OAUTH_CLIENT_ID. Or export GITHUB_TOKEN instead.',
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
  storeToken(dataFolderAt(data), { url, login, token });
  process.stdout.write(`Signed in to ${url} as ${login}. Restart ship up to use it.\n`);
  if (url !== githubUrl(env))
    process.stdout.write(`Ship uses it only if you start it with GITHUB_URL=${url} exported.\n`);
  if (env.GITHUB_TOKEN) process.stdout.write('GITHUB_TOKEN is exported and takes precedence.\n');
}

export function signOut({ data }: { data: string }): void {
  deleteToken(dataFolderAt(data));
  process.stdout.write(
    'Deleted from this machine. To invalidate the token, revoke the App at GitHub: Settings → Applications.\n',
  );
}
