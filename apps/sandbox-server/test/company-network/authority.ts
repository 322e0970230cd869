import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Creates an unknown authority (`ca.crt`), and its certificate for a name (`server.crt`, `server.key`). */
export function makeAuthority(folder: string, name: string): void {
  const at = (file: string) => join(folder, file);
  const subject = ['-days', '2', '-subj', '/CN=Company test authority'];
  openssl('req', '-x509', ...KEY, '-keyout', at('ca.key'), '-out', at('ca.crt'), ...subject);
  makeCertificate(folder, 'server', `DNS:${name}`);
}

/** `FILE.crt` and `FILE.key`, for `DNS:NAME` or `IP:ADDRESS`, signed by the authority in the same folder. */
export function makeCertificate(folder: string, file: string, subject: string): void {
  const at = (ending: string) => join(folder, `${file}.${ending}`);
  openssl('req', ...KEY, '-keyout', at('key'), '-out', at('csr'), '-subj', `/CN=${file}`);
  writeFileSync(at('ext'), `subjectAltName=${subject}\n`);
  const authority = ['-CA', join(folder, 'ca.crt'), '-CAkey', join(folder, 'ca.key')];
  const request = ['-req', '-in', at('csr'), ...authority, '-CAcreateserial', '-days', '2'];
  openssl('x509', ...request, '-extfile', at('ext'), '-out', at('crt'));
}
