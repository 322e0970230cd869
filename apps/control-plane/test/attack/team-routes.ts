/** All routes of a deployment, from its OpenAPI document: attacks cover new routes automatically. */
import type { Team } from '../harness/team.ts';

export interface Route {
  method: string;
  /** The path with the names of its parameters. */
  pattern: string;
  path: string;
}

/** The only routes without a caller. Health says up or down; sign-in checks the given credential. */
const OPEN_TO_ALL: ReadonlySet<string> = new Set(['GET /health', 'GET /sign-in', 'POST /sign-in']);

/** Outside `/api`: sandboxes use these with capabilities. */
export const GATEWAYS = [
  '/gateway/models/v1/chat/completions',
  '/gateway/models/anthropic/v1/messages',
  '/gateway/git/ada/app.git/info/refs?service=git-upload-pack',
  '/gateway/git/ada/app.git/git-receive-pack',
];

export const isOpenToAll = ({ method, pattern }: Route): boolean =>
  OPEN_TO_ALL.has(`${method} ${pattern}`);

export async function listRoutes(
  team: Team,
  ids: Readonly<Record<string, string>>,
): Promise<Route[]> {
  const { paths } = (await team.owner.ask('GET', '/openapi.json')) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const fill = (pattern: string) =>
    pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ANY_ID[name] ?? 'main');
  const api = Object.entries(paths).flatMap(([pattern, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      pattern: pattern.replace(/^\/api/, ''),
      path: fill(pattern.startsWith('/api') ? pattern : `/api${pattern}`),
    })),
  );
  const document = { method: 'GET', pattern: '/openapi.json', path: '/api/openapi.json' };
  return [...api, document];
}

const ANY_ID: Readonly<Record<string, string>> = {
  cardId: `crd_${'0'.repeat(26)}`,
  repositoryId: `rep_${'0'.repeat(26)}`,
  tokenId: `tok_${'0'.repeat(26)}`,
  draftId: `drf_${'0'.repeat(26)}`,
  promptId: `prm_${'0'.repeat(26)}`,
  askId: 'ask_1',
  port: '3000',
};
