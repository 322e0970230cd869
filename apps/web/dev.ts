/** `npm run dev -- [--server URL] [--port N] [--data FOLDER]`: the web app with hot reload against a running Ship. */
import { parseArgs } from 'node:util';
import { devSignInLink, shipProblem, startDevServer } from './dev-server.ts';

const USAGE = 'Usage: npm run dev -- [--server http://127.0.0.1:4400] [--port 5173] [--data .ship]';

const NO_LINK =
  'dev: to sign in, append the # part of the link from `npx --no-install ship open` to this address, or pass the data folder of that Ship with --data\n';

function fail(message: string, exitCode: number): void {
  process.stderr.write(`dev: ${message}\n`);
  process.exitCode = exitCode;
}

async function run(server: string, port: number, dataFolder: string): Promise<void> {
  const ship = URL.parse(server)?.origin;
  if (ship === undefined || !ship.startsWith('http'))
    return fail(`--server takes the address of a Ship server, not "${server}".\n${USAGE}`, 2);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    return fail(`--port takes a number from 1 to 65535.\n${USAGE}`, 2);
  const problem = await shipProblem(ship);
  if (problem !== undefined) return fail(problem, 1);
  try {
    await startDevServer({ ship, port });
    const page = `http://localhost:${port}/`;
    const link = await devSignInLink(page, ship, dataFolder);
    process.stdout.write(
      `dev: ${link ?? page} shows apps/web; its API is ${ship}\n${link === undefined ? NO_LINK : ''}`,
    );
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error), 1);
  }
}

try {
  const { values } = parseArgs({
    options: {
      server: { type: 'string', default: 'http://127.0.0.1:4400' },
      port: { type: 'string', default: '5173' },
      data: { type: 'string', default: '.ship' },
    },
  });
  await run(values.server, Number(values.port), values.data);
} catch (error) {
  fail(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, 2);
}
