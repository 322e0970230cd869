/** The allow-list of Settings → Network: its rules for a sandbox service, and the entry for a refused host. */
import { DEFAULT_HOSTS, type Refusal } from '@ship/protocol';

interface NetworkRules {
  allowOut?: string[];
  denyOut?: string[];
}

const EVERYTHING = '0.0.0.0/0';

/**
 * The list as E2B network rules. Names can only be allowed, so that everything else is denied by address; with the default
 * hosts in the list nothing is denied, and the service's own list applies too. `always`: hosts that every sandbox of the
 * service needs. Private hosts are valid only on the local machine: elsewhere the same address may be another host.
 */
export function networkRules(
  allow: readonly string[],
  { isLocal, always }: { isLocal: boolean; always: readonly string[] },
): NetworkRules {
  if (allow.length === 0) return {};
  const entries = allow.filter((entry) => entry !== DEFAULT_HOSTS);
  const allowOut = [
    ...(isLocal ? entries : entries.filter((entry) => !isPrivate(entry))),
    ...always,
  ];
  if (entries.length < allow.length) return { allowOut };
  return { allowOut, denyOut: [EVERYTHING] };
}

const isPrivate = (entry: string): boolean => entry.includes('=');

/** Rules of the egress proxy that an entry for the host satisfies. */
const ALLOWABLE_RULES = new Set(['not-listed', 'sandbox-deny', 'address', 'server-name']);
/** No entry opens these addresses; the sandbox service refuses them at every connection. */
const NEVER_ALLOWED = /^(127\.|0\.|169\.254\.|::1?$|::ffff:(127\.|169\.254\.)|fe80:|fd00:ec2:)/i;
const HOST = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/**
 * The entry that allows a refused connection; undefined when none does. For a private address the entry contains it: otherwise
 * the owner of the name could later point it at any other machine of the same network.
 */
export function entryFor({ host: asked, serverName, rule, address }: Refusal): string | undefined {
  const host = serverName ?? asked;
  if (!ALLOWABLE_RULES.has(rule) || !HOST.test(host)) return undefined;
  if (rule !== 'address') return host;
  if (address === undefined || NEVER_ALLOWED.test(address)) return undefined;
  return host === address ? `${host}=private` : `${host}=${address}`;
}

/** Adds an entry. An empty list means the default hosts, so they stay allowed. */
export function withEntry(allow: readonly string[], entry: string): string[] {
  const before = allow.length === 0 ? [DEFAULT_HOSTS] : allow;
  return before.includes(entry) ? [...allow] : [...before, entry];
}

/** One line for a log of the repository's commands, for the agent and for the CLI. */
export function refusalLine(refusal: Refusal): string {
  const { host: asked, serverName, rule, address } = refusal;
  const host = serverName ?? asked;
  const where = address === undefined ? '' : ` at ${address}`;
  const entry = entryFor(refusal);
  const remedy = entry === undefined ? '' : `: allow it in Settings → Network (${entry})`;
  return `Ship refused ${host}${where} (rule ${rule})${remedy}.`;
}

/** A note to the agent with its prompt, one line for each refused host. */
export function refusalNote(refusals: readonly Refusal[]): string {
  if (refusals.length === 0) return '';
  const lines = [...new Set(refusals.map(refusalLine))].slice(0, 20);
  return [
    '',
    '',
    "Note from Ship: the sandbox's network rules refused connections since the last prompt.",
    ...lines.map((line) => `- ${line}`),
    'Do not work around this. If the task needs such a host, say which one and why: a person can allow it.',
  ].join('\n');
}
