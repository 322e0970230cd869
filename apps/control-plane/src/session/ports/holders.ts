import type { WorkspacePort } from '../parts.ts';
import { writeCredentials } from '../../platform/credential.ts';
import type { Pass } from './passes.ts';

/** A page of a dev server makes hundreds of requests: the workspace is asked once for all of them. */
const KNOWN_FOR_MS = 2_000;
/** The oldest make room. */
const MAX_KNOWN = 100;

/** Whether the people to whom passes were given may still come in. */
export class PassHolders {
  readonly #workspace: Pick<WorkspacePort, 'endedCredentials'>;
  /** When their credentials last held. Those that have ended are not kept: the pass is refused each time. */
  readonly #heldAtMs = new Map<string, number>();

  constructor(workspace: Pick<WorkspacePort, 'endedCredentials'>) {
    this.#workspace = workspace;
  }

  async holding(passes: readonly Pass[]): Promise<Pass[]> {
    const held: Pass[] = [];
    for (const pass of passes) if (await this.#heldLately(pass)) held.push(pass);
    return held;
  }

  /** Asked now. */
  async holds({ credentials }: Pass): Promise<boolean> {
    if (credentials.length === 0) return true;
    return (await this.#workspace.endedCredentials(credentials)).length === 0;
  }

  async #heldLately({ credentials }: Pass): Promise<boolean> {
    if (credentials.length === 0) return true;
    const key = writeCredentials(credentials);
    const nowMs = Date.now();
    if (nowMs - (this.#heldAtMs.get(key) ?? 0) < KNOWN_FOR_MS) return true;
    this.#heldAtMs.delete(key);
    if (!(await this.holds({ credentials }))) return false;
    this.#heldAtMs.set(key, nowMs);
    const [oldest] = this.#heldAtMs.keys();
    if (this.#heldAtMs.size > MAX_KNOWN && oldest !== undefined) this.#heldAtMs.delete(oldest);
    return true;
  }
}
