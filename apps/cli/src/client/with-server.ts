import { ShipFailure } from '@ship/protocol/errors';
import { Failure, ServerRefusal } from '../failure.ts';
import { dataFolderAt } from '../where.ts';
import { type FoundServer, findServer } from './find-server.ts';
import { startServer } from './start-server.ts';

/** What every verb that talks to a server takes. */
export interface TalkOptions {
  url?: string;
  data: string;
  json?: boolean;
}

export interface Server extends FoundServer {
  /** It was started for this command and ends with it. */
  isOurs: boolean;
}

/** Null for a server that ends with the command. */
export const lastingUrl = ({ pageUrl, isOurs }: Server): string | null => (isOurs ? null : pageUrl);

/** A refusal of the server knows where its action is done. */
async function located<Result>(pageUrl: string | null, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ShipFailure ? new ServerRefusal(error.error, pageUrl) : error;
  }
}

/** Runs something against the server that the user means, or against one that is started for it and stopped after it. */
export function withServer<Result>(
  options: TalkOptions,
  use: (server: Server) => Promise<Result>,
): Promise<Result> {
  return whileServerStarts(options, async () => undefined, use);
}

/** The same for what takes a while and needs no server: a server that has to be started starts meanwhile. */
export async function whileServerStarts<Prepared, Result>(
  { url, data, json }: TalkOptions,
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
    return located(found.pageUrl, use({ ...found, isOurs: false }, prepared));
  }
  const isQuiet = json === true || !process.stderr.isTTY;
  const started = await startServer(dataFolder, (line) => {
    if (!isQuiet) process.stderr.write(`ship: ${line}\n`);
  });
  try {
    const [server, prepared] = await Promise.all([started.ready, prepare()]);
    return await located(null, use({ ...server, isOurs: true }, prepared));
  } finally {
    await started.stop();
  }
}

/** For what makes no sense with a server that ends at once. */
export async function withRunningServer<Result>(
  { url, data }: TalkOptions,
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
