/** GitHub issues keys as PKCS#1, and WebCrypto accepts PKCS#8 only: the same key with a short prefix. */

const PKCS1 = /-----BEGIN RSA PRIVATE KEY-----([\s\S]+?)-----END RSA PRIVATE KEY-----/;
const SEQUENCE = 0x30;
const OCTET_STRING = 0x04;
/** Version 0, and the algorithm: rsaEncryption without parameters. */
const RSA = [
  0x02, 0x01, 0x00, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01,
  0x05, 0x00,
];

/** Converts a key to PKCS#8. Variables often contain line ends as `\n`; a key that is not PKCS#1 passes unchanged. */
export function pkcs8(pem: string): string {
  const text = pem.replaceAll('\\n', '\n').trim();
  const body = PKCS1.exec(text)?.[1];
  if (body === undefined) return text;
  const key = Array.from(atob(body.replaceAll(/\s/g, '')), (char) => char.charCodeAt(0));
  const der = tagged(SEQUENCE, [...RSA, ...tagged(OCTET_STRING, key)]);
  const base64 = btoa(String.fromCharCode(...der));
  const lines = base64.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}

function tagged(tag: number, content: readonly number[]): number[] {
  const { length } = content;
  if (length < 0x80) return [tag, length, ...content];
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return [tag, 0x80 | bytes.length, ...bytes, ...content];
}
