/** The folder of certificates that every sandbox sees read-only. */
import { chmodSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { CERTIFICATE_FILES } from '../envd/certificates.ts';
import { replaceFile } from '../isolation/replace-file.ts';
import { mergeCertificates } from './bundle.ts';
import { javaTrustStore } from './java-store.ts';

/** Debian and Ubuntu, Fedora, openSUSE, Alpine. */
const SYSTEM_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
/** Additions of the administrator; the bundle contains them only after `update-ca-certificates`. */
const LOCAL_ADDITIONS = '/usr/local/share/ca-certificates/**/*.crt';

interface Sources {
  /** Files beyond the system's, such as `NODE_EXTRA_CA_CERTS` of the user who runs the server. */
  files: readonly string[];
  onFailure: (message: string) => void;
}

/** Written at every start of the server; running sandboxes see the new files immediately. */
export function writeCertificates(folder: string, { files, onFailure }: Sources): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const system = SYSTEM_BUNDLES.flatMap((file) => readOptional(file)?.toString() ?? []);
  const local = globSync(LOCAL_ADDITIONS).flatMap((file) => readOptional(file)?.toString() ?? []);
  const given = files.flatMap((file) => {
    const content = readOptional(file);
    if (content === undefined) onFailure(`the certificates in ${file} cannot be read`);
    return content?.toString() ?? [];
  });
  const { all, additional } = mergeCertificates([...system.slice(0, 1), ...local, ...given]);
  put(join(folder, CERTIFICATE_FILES.all), all);
  put(join(folder, CERTIFICATE_FILES.additional), additional);
  put(join(folder, CERTIFICATE_FILES.java), javaTrustStore(all));
}

/** Only the certificates of the given files, for the server's own connections. */
export const readCertificates = (files: readonly string[]): string[] => {
  const { all } = mergeCertificates(files.flatMap((file) => readOptional(file)?.toString() ?? []));
  return all === '' ? [] : [all];
};

function put(path: string, content: string | Buffer): void {
  if (content.length === 0) {
    rmSync(path, { force: true });
    return;
  }
  replaceFile(path, Buffer.from(content));
  chmodSync(path, 0o644);
}

function readOptional(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
