export async function sha256Hex(text: string): Promise<string> {
  return Array.from(await sha256(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

export function toBase64Url(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

/** Decodes output of `toBase64Url`; the caller has checked the alphabet. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
    char.charCodeAt(0),
  );
}

/**
 * Constant-time comparison: its duration depends only on the length of `candidate`, never on the position of the first
 * difference. It does not hash first: it runs on every request, and two hashes would cost more than the rest.
 */
export function sameSecret(candidate: string, secret: string): boolean {
  let difference = candidate.length ^ secret.length;
  for (let index = 0; index < candidate.length; index += 1) {
    difference |= candidate.charCodeAt(index) ^ secret.charCodeAt(index % (secret.length || 1));
  }
  return difference === 0;
}
