/** What is asked of Cloudflare, always through wrangler: it has the user's login. */
import { Failure } from '../failure.ts';
import type { PlannedSecret } from './secrets.ts';
import { type Wrangler, type WranglerEnd, lastWords } from './wrangler.ts';

export interface Place {
  /** The user's configuration. */
  file: string;
  folder: string;
  /** Whether wrangler may talk to the user. */
  show: boolean;
}

/** Cloudflare's word for a Worker that is not there yet. */
const NO_SUCH_WORKER = /10007|does not exist|not found/i;
const ALREADY_YOURS = /10004|already exists, and you own it/i;
const NOT_LOGGED_IN = /not authenticated|CLOUDFLARE_API_TOKEN|wrangler login/i;

export class Cloudflare {
  readonly #wrangler: Wrangler;
  readonly #place: Place;

  constructor(wrangler: Wrangler, place: Place) {
    this.#wrangler = wrangler;
    this.#place = place;
  }

  /** The names of the secrets that the Worker has; none when there is no Worker yet. */
  async secretNames(worker: string): Promise<Set<string>> {
    const end = await this.#run(['secret', 'list', '--name', worker, '--format', 'json']);
    if (end.code !== 0) {
      if (NO_SUCH_WORKER.test(end.stdout + end.stderr)) return new Set();
      if (NOT_LOGGED_IN.test(end.stdout + end.stderr))
        throw new Failure(
          'wrangler is not logged in to Cloudflare, or its token is refused.',
          'Run `npx wrangler login`, or export CLOUDFLARE_API_TOKEN (and CLOUDFLARE_ACCOUNT_ID if you have several accounts).',
        );
      return failed('The secrets of the Worker could not be listed', end);
    }
    const list = JSON.parse(end.stdout) as { name: string }[];
    return new Set(list.map(({ name }) => name));
  }

  /** True when it was made now. */
  async ensureBucket(name: string): Promise<boolean> {
    const end = await this.#run(['r2', 'bucket', 'create', name]);
    if (end.code === 0) return true;
    if (ALREADY_YOURS.test(end.stdout + end.stderr)) return false;
    return failed(`The bucket ${name} could not be made`, end);
  }

  async upload(): Promise<void> {
    const { file, show } = this.#place;
    const end = await this.#run(['deploy', '--config', file], { show });
    if (end.code !== 0) failed('wrangler could not deploy', end);
  }

  /** In one request, over standard input: on no command line, in no file, and one new version instead of one for each. */
  async sendSecrets(worker: string, secrets: readonly PlannedSecret[]): Promise<void> {
    if (secrets.length === 0) return;
    const values = Object.fromEntries(secrets.map(({ name, value }) => [name, value]));
    const end = await this.#run(['secret', 'bulk', '--name', worker], {
      input: JSON.stringify(values),
    });
    if (end.code !== 0) failed('The secrets could not be sent', end, Object.values(values));
  }

  #run(args: string[], { show = false, input }: { show?: boolean; input?: string } = {}) {
    const { folder } = this.#place;
    return this.#wrangler(args, { cwd: folder, show, ...(input === undefined ? {} : { input }) });
  }
}

function failed(what: string, end: WranglerEnd, hidden: string[] = []): never {
  const words = hidden.reduce((text, value) => text.replaceAll(value, '…'), lastWords(end));
  throw new Failure(
    `${what}.`,
    `wrangler said:\n${words}\nMend that and run ship deploy again: what is done is not done twice.`,
  );
}
