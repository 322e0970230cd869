import { type ClientOptions, withServer } from '../client/with-server.ts';
import { oneLine } from '../progress/text.ts';
import { repositoryLocation } from '../sessions/repository.ts';

export interface AddOptions extends ClientOptions {
  name?: string;
  base?: string;
  setup?: string;
  verify?: string;
  steps?: number;
}

export async function addRepository(given: string, options: AddOptions): Promise<void> {
  const { name, base, setup, verify, steps } = options;
  const location = repositoryLocation(given);
  const added = await withServer(options, ({ client }) =>
    client.addRepository({
      location,
      ...(name === undefined ? {} : { name }),
      defaultBase: base ?? null,
      setupCommand: setup ?? null,
      verifyCommand: verify ?? null,
      maxStepsPerTurn: steps ?? null,
    }),
  );
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify(added)}\n`
      : `added ${added.repositoryId}  ${oneLine(added.name, 100)}\n`,
  );
}
