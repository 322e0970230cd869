/** IP addresses as numbers, so that each address has one form and no alternative spelling bypasses a rule. */
export interface Ip {
  family: 4 | 6;
  value: bigint;
}

export interface Cidr {
  family: 4 | 6;
  value: bigint;
  prefix: number;
}

const V4_PART = /^(?:0|[1-9][0-9]{0,2})$/;

/** Dotted decimal only: octal, hexadecimal and short forms mean different things to different resolvers. */
export function parseIpv4(text: string): Ip | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    if (!V4_PART.test(part) || Number(part) > 255) return undefined;
    value = (value << 8n) | BigInt(part);
  }
  return { family: 4, value };
}

function parseGroups(text: string): bigint[] | undefined {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (part.includes('.') && index === parts.length - 1) {
      const tail = parseIpv4(part);
      if (tail === undefined) return undefined;
      groups.push(tail.value >> 16n, tail.value & 0xffffn);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}

/** A zone (`fe80::1%eth0`) is refused: it names an interface of the host. */
function parseIpv6(text: string): Ip | undefined {
  const halves = text.split('::');
  if (halves.length > 2 || !text.includes(':')) return undefined;
  const head = parseGroups(halves[0] ?? '');
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? '') : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...tail];
  return { family: 6, value: groups.reduce((value, group) => (value << 16n) | group, 0n) };
}

export function parseIp(text: string): Ip | undefined {
  return parseIpv4(text) ?? parseIpv6(text);
}

/** `10.0.0.0/8`, `fd00::/8`, or a bare address as a block of one. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', prefixText, ...rest] = text.split('/');
  const ip = parseIp(address);
  if (ip === undefined || rest.length > 0) return undefined;
  const bits = ip.family === 4 ? 32 : 128;
  if (prefixText === undefined) return { ...ip, prefix: bits };
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(prefixText) || Number(prefixText) > bits) return undefined;
  return { ...ip, prefix: Number(prefixText) };
}

export function contains(block: Cidr, ip: Ip): boolean {
  if (block.family !== ip.family) return false;
  const shift = BigInt((block.family === 4 ? 32 : 128) - block.prefix);
  return block.value >> shift === ip.value >> shift;
}

function knownBlock(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(`not a block of addresses: ${text}`);
  return parsed;
}

/** IPv4 space that is not the public internet: this host, private networks, link-local (metadata), tests, multicast. */
const SPECIAL_V4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
]
  .flatMap((line) => line.split(' '))
  .map(knownBlock);

/** Everything outside 2000::/3 is refused anyway; these are the non-public parts of 2000::/3. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '3fff::/20'].map(knownBlock);
const GLOBAL_V6 = knownBlock('2000::/3');
const MAPPED = knownBlock('::ffff:0:0/96');
const NAT64 = knownBlock('64:ff9b::/96');
const SIX_TO_FOUR = knownBlock('2002::/16');

/** The IPv4 address that is embedded in an IPv6 address, if any: packets end up there. */
function embeddedIpv4(ip: Ip): Ip | undefined {
  if (contains(MAPPED, ip) || contains(NAT64, ip)) {
    return { family: 4, value: ip.value & 0xffff_ffffn };
  }
  if (contains(SIX_TO_FOUR, ip)) return { family: 4, value: (ip.value >> 80n) & 0xffff_ffffn };
  return undefined;
}

/** Whether an address is on the public internet, by where its packets end up. */
export function isPublic(ip: Ip): boolean {
  if (ip.family === 4) return !SPECIAL_V4.some((special) => contains(special, ip));
  const inner = embeddedIpv4(ip);
  if (inner !== undefined) return isPublic(inner);
  return contains(GLOBAL_V6, ip) && !SPECIAL_V6.some((special) => contains(special, ip));
}

/**
 * Addresses that no allow-list entry opens: this machine itself (loopback, "this network"), link-local including the
 * metadata services of clouds and their other known addresses, multicast and broadcast. An entry for a private host is
 * evaluated by the address that its name resolves to, and the owner of that name can change it at any time.
 */
const NEVER_V4 = [
  '0.0.0.0/8 127.0.0.0/8 169.254.0.0/16 224.0.0.0/4 255.255.255.255/32',
  '100.100.100.200/32 168.63.129.16/32 192.0.0.192/32',
]
  .flatMap((line) => line.split(' '))
  .map(knownBlock);
const NEVER_V6 = ['::/96', 'fe80::/10', 'ff00::/8', 'fd00:ec2::/32', 'fd20:ce::254/128'].map(
  knownBlock,
);

export function isNeverReachable(ip: Ip): boolean {
  if (ip.family === 4) return NEVER_V4.some((never) => contains(never, ip));
  const inner = embeddedIpv4(ip);
  if (inner !== undefined) return isNeverReachable(inner);
  return NEVER_V6.some((never) => contains(never, ip));
}

/** A block without any address that an entry could open. */
export function isNeverReachableBlock(block: Cidr): boolean {
  const never = block.family === 4 ? NEVER_V4 : NEVER_V6;
  return never.some((one) => one.prefix <= block.prefix && contains(one, block));
}

/** Compares by destination: `::ffff:1.2.3.4` equals `1.2.3.4`. */
export function matchesBlock(block: Cidr, ip: Ip): boolean {
  const inner = embeddedIpv4(ip);
  return contains(block, ip) || (inner !== undefined && contains(block, inner));
}
