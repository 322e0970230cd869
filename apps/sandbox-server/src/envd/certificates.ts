/** Environment variables that point each runtime at the machine's certificates. */
import { existsSync } from 'node:fs';

/** Mount point of the server's certificate folder. */
export const CERTIFICATES_FOLDER = '/run/certificates';
export const CERTIFICATE_FILES = {
  all: 'ca-certificates.crt',
  additional: 'additional.crt',
  java: 'java-cacerts',
} as const;

/** OpenSSL with Ruby, PHP, Go and uv; Python's requests and pip; curl; git; cargo; the AWS tools; Deno and Bun read Node's. */
const ONE_FILE = [
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'PIP_CERT',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'CARGO_HTTP_CAINFO',
  'AWS_CA_BUNDLE',
];

export function certificateEnvironment(folder = CERTIFICATES_FOLDER): Record<string, string> {
  const present = (name: string): string | undefined =>
    existsSync(`${folder}/${name}`) ? `${folder}/${name}` : undefined;
  const all = present(CERTIFICATE_FILES.all);
  const additional = present(CERTIFICATE_FILES.additional);
  const java = present(CERTIFICATE_FILES.java);
  return {
    ...(all !== undefined && Object.fromEntries(ONE_FILE.map((name) => [name, all]))),
    // uv uses its own certificates unless configured to use the system's.
    ...(all !== undefined && { UV_NATIVE_TLS: 'true', UV_SYSTEM_CERTS: 'true' }),
    // In addition to Node's own; DENO_CERT likewise.
    ...(additional !== undefined && { NODE_EXTRA_CA_CERTS: additional, DENO_CERT: additional }),
    ...(java !== undefined && { JAVA_TOOL_OPTIONS: javaOptions(java) }),
  };
}

/** Java reads neither the proxy variables nor OpenSSL's; every JVM prints these options on stderr. */
const javaOptions = (store: string): string =>
  [
    `-Djavax.net.ssl.trustStore=${store}`,
    ...['http', 'https'].flatMap((scheme) => [
      `-D${scheme}.proxyHost=127.0.0.1`,
      `-D${scheme}.proxyPort=3128`,
    ]),
    '-Dhttp.nonProxyHosts=localhost|127.*|[::1]',
  ].join(' ');
