import type { Repository } from '@ship/protocol';
import { type ClientOptions, withServer } from '../client/with-server.ts';
import { oneLine } from '../progress/text.ts';

export async function listRepositories(options: ClientOptions): Promise<void> {
  const list = await withServer(options, ({ client }) => client.repositories());
  process.stdout.write(
    options.json === true ? `${JSON.stringify(list)}\n` : render(list.repositories),
  );
}

function render(repositories: readonly Repository[]): string {
  if (repositories.length === 0) return 'No repositories. Add one with: ship repo add PATH|URL\n';
  const width = Math.max(...repositories.map(({ name }) => name.length));
  return repositories
    .map(
      ({ repositoryId, name, location }) =>
        `${repositoryId}  ${name.padEnd(width)}  ${oneLine(location, 200)}\n`,
    )
    .join('');
}
