import { SessionId } from '@ship/protocol';
import * as z from 'zod';
import { Capabilities } from '../../platform/capability.ts';

const part = z.string().regex(/^(?!\.+$)[\w.-]{1,100}$/);

/** One session, one sandbox, one repository, one branch: what a sandbox may do through the git gateway. */
const GitClaims = z.object({
  sessionId: SessionId,
  sandboxId: z.string().min(1).max(200),
  repository: z.object({ forge: z.enum(['github', 'local']), owner: part, name: part }),
  branch: z.string().min(1).max(300),
});
export type GitClaims = z.infer<typeof GitClaims>;

export function gitCapabilities(secret: string): Capabilities<typeof GitClaims> {
  return new Capabilities(secret, { name: 'git', claims: GitClaims });
}

/** Where a sandbox finds its repository. `door` is what it can reach of us: a loopback port, or our public address. */
export function gatewayRemote(door: string, capability: string, { repository }: GitClaims): string {
  return `${door}/gateway/git/${capability}/${repository.owner}/${repository.name}.git`;
}
