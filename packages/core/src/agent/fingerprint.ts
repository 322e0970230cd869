/**
 * A fast, synchronous, non-cryptographic hash of a text, the same on every platform. Loop detection compares results with it;
 * it does not resist deliberate collisions.
 */
export function fingerprint(text: string): string {
  return half(text, 0) + half(text, 0x9e3779b9);
}

/** cyrb53, a mixing hash of 53 bits. */
function half(text: string, seed: number): string {
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36).padStart(11, '0');
}
