import { SessionId } from '@ship/protocol';
import * as z from 'zod';
import { Capabilities } from '../../platform/capability.ts';

const part = z.string().regex(/^(?!\.+$)[\w.-]{1,100}$/);

/** A capability with more would not fit into an address. */
export const MAX_READS = 10;

/** One session, one sandbox, one repository, one branch: what a sandbox may do through the git gateway. */
const GitClaims = z.object({
  sessionId: SessionId,
  sandboxId: z.string().min(1).max(200),
  repository: z.object({ forge: z.enum(['github', 'local']), owner: part, name: part }),
  branch: z.string().min(1).max(300),
  /** `OWNER/NAME` of other repositories of the same forge that may be fetched, and nothing else. Usually absent. */
  reads: z
    .array(z.string().regex(/^(?!\.+\/)[\w.-]{1,100}\/(?!\.+$)[\w.-]{1,100}$/))
    .max(MAX_READS)
    .optional(),
});
export type GitClaims = z.infer<typeof GitClaims>;

export function gitCapabilities(secret: string): Capabilities<typeof GitClaims> {
  return new Capabilities(secret, { name: 'git', claims: GitClaims });
}

/**
 * The address of a repository for a sandbox. `gateway` is the address of the gateway as the
 * sandbox reaches it: a loopback port, or the public address.
 */
export function gatewayRemote(
  gateway: string,
  capability: string,
  { repository }: Pick<GitClaims, 'repository'>,
): string {
  return `${gateway}/gateway/git/${capability}/${repository.owner}/${repository.name}.git`;
}
