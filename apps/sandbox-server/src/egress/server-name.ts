/**
 * Decides which TLS server names a tunnel may carry. A tunnel to an allowed host on a shared CDN could otherwise request
 * any other site of the CDN (domain fronting). Pure.
 */
import type { ClientHello } from './client-hello.ts';
import { parseIp } from './ip.ts';
import {
  judge,
  judgeUnresolved,
  type OwnerPolicy,
  type RuleName,
  type SandboxPolicy,
} from './policy.ts';
import { parseHost, type Target } from './target.ts';

type NameVerdict =
  /** `serverName` only if it differs from the host of the CONNECT. */
  | { verdict: 'allow'; serverName?: string }
  | { verdict: 'deny'; rule: RuleName; serverName?: string };

export function judgeServerName(
  /** `address` is undefined if only the upstream proxy could resolve the name. */
  { target, address }: { target: Target; address: string | undefined },
  hello: ClientHello,
  owner: OwnerPolicy,
  sandbox: SandboxPolicy,
): NameVerdict {
  const { serverName, hasEncryptedName } = hello;
  if (hasEncryptedName || serverName === undefined) {
    if (isEveryNameAllowed(address, target.port, owner, sandbox)) return { verdict: 'allow' };
    return { verdict: 'deny', rule: hasEncryptedName ? 'encrypted-name' : 'no-server-name' };
  }
  const parsed = parseHost(serverName);
  if (parsed === undefined || parsed.ip !== undefined)
    return { verdict: 'deny', rule: 'server-name', serverName: printable(serverName) };
  const { host } = parsed;
  if (host === target.host) return { verdict: 'allow' };
  // With the dialled address: a rule for a block allows names there, and nowhere else.
  const named: Target = { kind: 'name', host, port: target.port };
  const { verdict } =
    address === undefined
      ? judgeUnresolved(host, target.port, owner, sandbox)
      : judge(named, [address], owner, sandbox);
  return verdict === 'allow'
    ? { verdict: 'allow', serverName: host }
    : { verdict: 'deny', rule: 'server-name', serverName: host };
}

/** A name that is on no list: only `*` allows it. */
const UNLISTED = 'unlisted.invalid';

/** The address itself is allowed, by a block or by `*`, and no name is denied: then the name is irrelevant. */
function isEveryNameAllowed(
  address: string | undefined,
  port: number,
  owner: OwnerPolicy,
  sandbox: SandboxPolicy,
): boolean {
  if (owner.deny.some((rule) => rule.kind === 'name' || rule.kind === 'suffix')) return false;
  if (address === undefined)
    return judgeUnresolved(UNLISTED, port, owner, sandbox).verdict === 'allow';
  const ip = parseIp(address);
  if (ip === undefined) return false;
  const target: Target = { kind: 'address', host: address, port, ip };
  return judge(target, [address], owner, sandbox).verdict === 'allow';
}

function printable(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 253);
}
