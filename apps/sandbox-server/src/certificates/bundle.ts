/** The certificates that this machine trusts, as sandboxes get them. Pure. */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';

/** Everything else in a file is left out: some bundles hold a private key too, and none belongs in a sandbox. */
const CERTIFICATE =
  /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\sA-Za-z0-9+/=]+?-----END (?:TRUSTED )?CERTIFICATE-----/g;

interface Bundles {
  /** All, once each: for programs that take one file in place of their own. */
  all: string;
  /** Those that Node does not have itself: it reads this file at every start. */
  additional: string;
}

/** From PEM texts, in their order. What is no certificate is left out. */
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
