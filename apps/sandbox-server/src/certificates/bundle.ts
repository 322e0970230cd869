/** The certificates that this machine trusts, in the form that sandboxes get. Pure. */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';

/** Ignores everything else in a file: some bundles contain a private key too, and none belongs in a sandbox. */
const CERTIFICATE =
  /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\sA-Za-z0-9+/=]+?-----END (?:TRUSTED )?CERTIFICATE-----/g;

interface Bundles {
  /** All, without duplicates: for programs that take one file instead of their own. */
  all: string;
  /** Those that Node lacks: it reads this file at every start. */
  additional: string;
}

/** Merges PEM texts in order. Ignores what is not a certificate. */
export function mergeCertificates(texts: readonly string[]): Bundles {
  const known = new Set(rootCertificates.map((pem) => new X509Certificate(pem).fingerprint256));
  const found = new Map<string, string>();
  for (const [pem] of texts.flatMap((text) => [...text.matchAll(CERTIFICATE)])) {
    const certificate = parse(pem);
    if (certificate !== undefined) found.set(certificate.fingerprint256, certificate.toString());
  }
  const additional = [...found].filter(([fingerprint]) => !known.has(fingerprint));
  return {
    all: [...found.values()].join(''),
    additional: additional.map(([, pem]) => pem).join(''),
  };
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem.replaceAll('TRUSTED CERTIFICATE', 'CERTIFICATE'));
  } catch {
    return undefined;
  }
}
