import { type ClientOptions, withServer } from '../client/with-server.ts';
import { findRepository } from './find.ts';

export async function removeRepository(given: string, options: ClientOptions): Promise<void> {
  const { repositoryId } = await withServer(options, async ({ client }) => {
    const found = await findRepository(client, given);
    await client.removeRepository(found.repositoryId);
    return found;
  });
  process.stdout.write(
    options.json === true ? `${JSON.stringify({ repositoryId })}\n` : `removed ${repositoryId}\n`,
  );
}
