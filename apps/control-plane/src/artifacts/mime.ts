import type { Attachment } from '@ship/protocol';

const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to));

/** Detects the type from the bytes, because names and headers cannot be trusted. Undefined for types that no model reads. */
export function mimeOf(bytes: Uint8Array): Attachment['mime'] | undefined {
  if (ascii(bytes, 0, 8) === '\u0089PNG\r\n\u001A\n') return 'image/png';
  if (ascii(bytes, 0, 3) === '\u00FF\u00D8\u00FF') return 'image/jpeg';
  if (/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return 'image/gif';
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return 'image/webp';
  return isText(bytes) ? 'text/plain' : undefined;
}

export function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
