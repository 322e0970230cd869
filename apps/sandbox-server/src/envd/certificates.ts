/** The machine's certificates, as each runtime wants to be told of them. */
import { existsSync } from 'node:fs';

/** Where the server's folder of certificates appears inside. */
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
    // uv has certificates of its own unless it is told to use the system's.
    ...(all !== undefined && { UV_NATIVE_TLS: 'true', UV_SYSTEM_CERTS: 'true' }),
    // Added to those that Node has; DENO_CERT likewise.
    ...(additional !== undefined && { NODE_EXTRA_CA_CERTS: additional, DENO_CERT: additional }),
    ...(java !== undefined && { JAVA_TOOL_OPTIONS: javaOptions(java) }),
  };
}

/** Java reads neither the variables of the proxy nor OpenSSL's; every JVM prints these options on its error output. */
const javaOptions = (store: string): string =>
  [
    `-Djavax.net.ssl.trustStore=${store}`,
    ...['http', 'https'].flatMap((scheme) => [
      `-D${scheme}.proxyHost=127.0.0.1`,
      `-D${scheme}.proxyPort=3128`,
    ]),
    '-Dhttp.nonProxyHosts=localhost|127.*|[::1]',
  ].join(' ');
