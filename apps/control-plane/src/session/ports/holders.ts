import type { WorkspacePort } from '../parts.ts';
import { writeCredentials } from '../../platform/credential.ts';
import type { Pass } from './passes.ts';

/** A page of a dev server makes hundreds of requests: one call to the workspace serves all of them. */
const KNOWN_FOR_MS = 2_000;
/** The oldest entries are evicted. */
const MAX_KNOWN = 100;

/** Whether the people that passes were issued to still have access. */
export class PassHolders {
  readonly #workspace: Pick<WorkspacePort, 'endedCredentials'>;
  /** When credentials were last valid. Ended ones are not cached: their passes are refused each time. */
  readonly #validAtMs = new Map<string, number>();

  constructor(workspace: Pick<WorkspacePort, 'endedCredentials'>) {
    this.#workspace = workspace;
  }

  async withAccess(passes: readonly Pass[]): Promise<Pass[]> {
    const valid: Pass[] = [];
    for (const pass of passes) if (await this.#wasValidLately(pass)) valid.push(pass);
    return valid;
  }

  /** Bypasses the cache. */
  async hasAccess({ credentials }: Pass): Promise<boolean> {
    if (credentials.length === 0) return true;
    return (await this.#workspace.endedCredentials(credentials)).length === 0;
  }

  async #wasValidLately({ credentials }: Pass): Promise<boolean> {
    if (credentials.length === 0) return true;
    const key = writeCredentials(credentials);
    const nowMs = Date.now();
    if (nowMs - (this.#validAtMs.get(key) ?? 0) < KNOWN_FOR_MS) return true;
    this.#validAtMs.delete(key);
    if (!(await this.hasAccess({ credentials }))) return false;
    this.#validAtMs.set(key, nowMs);
    const [oldest] = this.#validAtMs.keys();
    if (this.#validAtMs.size > MAX_KNOWN && oldest !== undefined) this.#validAtMs.delete(oldest);
    return true;
  }
}
