/** Content codings of file transfers: identity and gzip. */
import { createGunzip, createGzip, constants } from 'node:zlib';
import type { Transform } from 'node:stream';

interface Wish {
  coding: string;
  quality: number;
}

function wishes(header: string): Wish[] {
  return header.split(',').flatMap((part) => {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    if (coding === '') return [];
    const quality = parameters.find((text) => text.startsWith('q='))?.slice(2);
    return [{ coding, quality: quality === undefined ? 1 : Number(quality) || 0 }];
  });
}

/**
 * gzip only for a client that asks for gzip and nothing else: every fetch() offers "gzip, deflate" by itself, and
 * compressing a large file for a client on the same machine costs far more than it saves.
 */
export function responseCoding(header: string | undefined): 'identity' | 'gzip' | 'none' {
  const all = wishes(header ?? '');
  const quality = (coding: string) => all.find((wish) => wish.coding === coding)?.quality;
  const codings = all.filter(
    (wish) => wish.quality > 0 && wish.coding !== 'identity' && wish.coding !== '*',
  );
  const wantsGzip = (quality('gzip') ?? 0) > 0;
  if (wantsGzip && codings.length === 1 && !((quality('identity') ?? 0) > (quality('gzip') ?? 0)))
    return 'gzip';
  const isIdentityRefused =
    quality('identity') === 0 || (quality('*') === 0 && quality('identity') === undefined);
  if (!isIdentityRefused) return 'identity';
  return wantsGzip ? 'gzip' : 'none';
}

export const compressor = (): Transform => createGzip({ level: constants.Z_BEST_SPEED });

/** How to read a request's body; 'unsupported' for codings that we do not know. */
export function requestDecoder(header: string | undefined): Transform | 'identity' | 'unsupported' {
  const coding = (header ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return 'identity';
  return coding === 'gzip' ? createGunzip() : 'unsupported';
}
