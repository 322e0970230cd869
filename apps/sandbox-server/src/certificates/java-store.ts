/**
 * A Java trust store (format JKS, version 2). Java reads no PEM files, `keytool` is not installed on every machine, and a
 * PKCS #12 file of OpenSSL 3.0 has no entry that Java trusts.
 */
import { createHash, X509Certificate } from 'node:crypto';

const MAGIC = 0xfeedfeed;
const VERSION = 2;
const TRUSTED_CERTIFICATE = 2;
/** The password of every JDK's default store. It protects nothing: the certificates are public. */
const PASSWORD = 'changeit';
const WHITENER = 'Mighty Aphrodite';
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** `bundle`: certificates in PEM. Empty when there are none. */
export function javaTrustStore(bundle: string): Buffer {
  const certificates = [...bundle.matchAll(PEM)].map(([pem]) => new X509Certificate(pem));
  if (certificates.length === 0) return Buffer.alloc(0);
  const body = Buffer.concat([
    integers(MAGIC, VERSION, certificates.length),
    ...certificates.map(entryOf),
  ]);
  const digest = createHash('sha1')
    .update(Buffer.from(PASSWORD, 'utf16le').swap16())
    .update(WHITENER)
    .update(body)
    .digest();
  return Buffer.concat([body, digest]);
}

function entryOf({ raw, fingerprint256 }: X509Certificate): Buffer {
  return Buffer.concat([
    integers(TRUSTED_CERTIFICATE),
    text(fingerprint256.replaceAll(':', '').toLowerCase()),
    // The creation date is fixed, so that the same certificates give the same file.
    Buffer.alloc(8),
    text('X.509'),
    integers(raw.length),
    raw,
  ]);
}

function integers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
  return bytes;
}

/** Java's writeUTF, for ASCII. */
function text(value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.length);
  return Buffer.concat([length, Buffer.from(value)]);
}
