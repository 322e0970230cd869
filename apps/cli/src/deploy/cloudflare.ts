/** Cloudflare operations, all through wrangler, which has the user's login. */
import { Failure } from '../failure.ts';
import type { PlannedSecret } from './secrets.ts';
import { type Wrangler, type WranglerEnd, lastLines } from './wrangler.ts';

export interface DeployTarget {
  /** The user's configuration. */
  file: string;
  folder: string;
  /** Whether wrangler may talk to the user. */
  show: boolean;
}

/** Cloudflare's errors for a Worker that does not exist yet. */
const NO_SUCH_WORKER = /10007|does not exist|not found/i;
const ALREADY_YOURS = /10004|already exists, and you own it/i;
const NOT_LOGGED_IN = /not authenticated|CLOUDFLARE_API_TOKEN|wrangler login/i;

export class Cloudflare {
  readonly #wrangler: Wrangler;
  readonly #target: DeployTarget;

  constructor(wrangler: Wrangler, target: DeployTarget) {
    this.#wrangler = wrangler;
    this.#target = target;
  }

  /** The names of the Worker's secrets; empty when there is no Worker yet. */
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

  /** True when the bucket was created now. */
  async ensureBucket(name: string): Promise<boolean> {
    const end = await this.#run(['r2', 'bucket', 'create', name]);
    if (end.code === 0) return true;
    if (ALREADY_YOURS.test(end.stdout + end.stderr)) return false;
    return failed(`The bucket ${name} could not be created`, end);
  }

  async upload(): Promise<void> {
    const { file, show } = this.#target;
    const end = await this.#run(['deploy', '--config', file], { show });
    if (end.code !== 0) failed('wrangler could not deploy', end);
  }

  /** Sends all secrets in one request over stdin: they appear on no command line and in no file, and create one new version. */
  async sendSecrets(worker: string, secrets: readonly PlannedSecret[]): Promise<void> {
    if (secrets.length === 0) return;
    const values = Object.fromEntries(secrets.map(({ name, value }) => [name, value]));
    const end = await this.#run(['secret', 'bulk', '--name', worker], {
      input: JSON.stringify(values),
    });
    if (end.code !== 0) failed('The secrets could not be sent', end, Object.values(values));
  }

  #run(args: string[], { show = false, input }: { show?: boolean; input?: string } = {}) {
    const { folder } = this.#target;
    return this.#wrangler(args, { cwd: folder, show, ...(input === undefined ? {} : { input }) });
  }
}

function failed(what: string, end: WranglerEnd, hidden: string[] = []): never {
  const words = hidden.reduce((text, value) => text.replaceAll(value, '…'), lastLines(end));
  throw new Failure(
    `${what}.`,
    `wrangler said:\n${words}\nFix that and run ship deploy again: completed steps are not repeated.`,
  );
}
