import type { Digest } from './cache/disk-cache.ts';

const HEX_LENGTH: Readonly<Record<Digest['algorithm'], number>> = {
  sha512: 128,
  sha384: 96,
  sha256: 64,
  sha1: 40,
};
/** Strongest first. */
const ALGORITHMS = ['sha512', 'sha384', 'sha256', 'sha1'] as const;

export function digestOf(algorithm: string, hex: string | undefined): Digest | undefined {
  const known = ALGORITHMS.find((name) => name === algorithm);
  const lower = hex?.toLowerCase() ?? '';
  if (known === undefined || !/^[0-9a-f]+$/.test(lower)) return undefined;
  return lower.length === HEX_LENGTH[known] ? { algorithm: known, hex: lower } : undefined;
}

/** The strongest hash of an `integrity` attribute: `sha512-BASE64 sha1-BASE64`. */
export function parseIntegrity(text: string): Digest | undefined {
  const found = text.split(/\s+/).flatMap((word) => {
    const [, algorithm = '', base64 = ''] = /^(sha\d+)-([A-Za-z0-9+/]+=*)/.exec(word) ?? [];
    return digestOf(algorithm, Buffer.from(base64, 'base64').toString('hex')) ?? [];
  });
  return ALGORITHMS.flatMap((name) => found.filter(({ algorithm }) => algorithm === name))[0];
}

export const writeDigest = ({ algorithm, hex }: Digest): string => `${algorithm}-${hex}`;

export function readDigest(text: string | undefined): Digest | undefined {
  const [algorithm = '', hex] = text?.split('-') ?? [];
  return digestOf(algorithm, hex);
}
