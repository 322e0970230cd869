import { encodePath } from '../commits/to-json.ts';
import type { Forge } from '../forge.ts';
import type { Ref } from '../git/refs.ts';
import { nodeId } from '../graphql/node-id.ts';
import { repositoryUrl } from '../repositories/to-json.ts';
import type { RepositoryRow } from '../store/rows.ts';

export function refJson(forge: Forge, repository: RepositoryRow, ref: Ref) {
  const api = repositoryUrl(forge, repository);
  return {
    ref: ref.name,
    node_id: nodeId('REF', repository.id, ref.name),
    url: `${api}/git/${encodePath(ref.name)}`,
    object: { type: ref.type, sha: ref.sha, url: `${api}/git/${ref.type}s/${ref.sha}` },
  };
}
