/** Content codings of file transfers: identity and gzip. */
import { zlib } from '../on-demand.ts';
import type { Transform } from 'node:stream';

interface AcceptedCoding {
  coding: string;
  quality: number;
}

function parseAcceptEncoding(header: string): AcceptedCoding[] {
  return header.split(',').flatMap((part) => {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    if (coding === '') return [];
    const quality = parameters.find((text) => text.startsWith('q='))?.slice(2);
    return [{ coding, quality: quality === undefined ? 1 : Number(quality) || 0 }];
  });
}

/**
 * Uses gzip only for a client that accepts gzip and nothing else: every fetch() offers "gzip, deflate" by default, and
 * compressing a large file for a client on the same machine costs far more than it saves.
 */
export function responseCoding(header: string | undefined): 'identity' | 'gzip' | 'none' {
  const all = parseAcceptEncoding(header ?? '');
  const quality = (coding: string) => all.find((accepted) => accepted.coding === coding)?.quality;
  const codings = all.filter(
    ({ coding, quality: q }) => q > 0 && coding !== 'identity' && coding !== '*',
  );
  const wantsGzip = (quality('gzip') ?? 0) > 0;
  if (wantsGzip && codings.length === 1 && !((quality('identity') ?? 0) > (quality('gzip') ?? 0)))
    return 'gzip';
  const isIdentityRefused =
    quality('identity') === 0 || (quality('*') === 0 && quality('identity') === undefined);
  if (!isIdentityRefused) return 'identity';
  return wantsGzip ? 'gzip' : 'none';
}

export const compressor = (): Transform =>
  zlib().createGzip({ level: zlib().constants.Z_BEST_SPEED });

/** How to decode a request's body; 'unsupported' for unknown codings. */
export function requestDecoder(header: string | undefined): Transform | 'identity' | 'unsupported' {
  const coding = (header ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return 'identity';
  return coding === 'gzip' ? zlib().createGunzip() : 'unsupported';
}
