import { ShipFailure } from '@ship/protocol/errors';
import { Failure, ServerRefusal } from '../failure.ts';
import { dataFolderAt } from '../paths.ts';
import { type FoundServer, findServer } from './find-server.ts';
import { startServer } from './start-server.ts';

/** The options of every verb that calls a server. */
export interface ClientOptions {
  url?: string;
  data: string;
  json?: boolean;
}

export interface Server extends FoundServer {
  /** The server was started for this command and ends with it. */
  isTemporary: boolean;
}

/** The web app's URL; null for a server that ends with the command. */
export const lastingUrl = ({ pageUrl, isTemporary }: Server): string | null =>
  isTemporary ? null : pageUrl;

/** Adds the web app's URL to the server's errors, for the link to their action. */
async function located<Result>(pageUrl: string | null, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ShipFailure ? new ServerRefusal(error.error, pageUrl) : error;
  }
}

/** Calls `use` with the running server, or with a temporary one that stops afterwards. */
export function withServer<Result>(
  options: ClientOptions,
  use: (server: Server) => Promise<Result>,
): Promise<Result> {
  return whileServerStarts(options, async () => undefined, use);
}

/** Like `withServer`; a temporary server starts while `prepare` runs. */
export async function whileServerStarts<Prepared, Result>(
  { url, data, json }: ClientOptions,
  prepare: () => Promise<Prepared>,
  use: (server: Server, prepared: Prepared) => Promise<Result>,
): Promise<Result> {
  const dataFolder = dataFolderAt(data);
  const found = await findServer(
    { ...(url === undefined ? {} : { url }), dataFolder },
    process.env,
  );
  if (found !== undefined) {
    const prepared = await prepare();
    return located(found.pageUrl, use({ ...found, isTemporary: false }, prepared));
  }
  const isQuiet = json === true || !process.stderr.isTTY;
  const started = await startServer(dataFolder, (line) => {
    if (!isQuiet) process.stderr.write(`ship: ${line}\n`);
  });
  try {
    const [server, prepared] = await Promise.all([started.ready, prepare()]);
    return await located(null, use({ ...server, isTemporary: true }, prepared));
  } finally {
    await started.stop();
  }
}

/** For verbs that are useless with a server that ends with the command. */
export async function withRunningServer<Result>(
  { url, data }: ClientOptions,
  use: (server: FoundServer) => Promise<Result>,
): Promise<Result> {
  const dataFolder = dataFolderAt(data);
  const found = await findServer(
    { ...(url === undefined ? {} : { url }), dataFolder },
    process.env,
  );
  if (found !== undefined) return located(found.pageUrl, use(found));
  throw new Failure(
    'Ship is not running here',
    'Start it with npm start, or name one with --url URL.',
  );
}
