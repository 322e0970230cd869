import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });

/** An authority that no machine knows (`ca.crt`), and a certificate of it for a name (`server.crt`, `server.key`). */
export function makeAuthority(folder: string, name: string): void {
  const at = (file: string) => join(folder, file);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.crt'),
    '-days',
    '2',
    '-subj',
    '/CN=Company test authority',
  );
  openssl(
    'req',
    ...key,
    '-keyout',
    at('server.key'),
    '-out',
    at('server.csr'),
    '-subj',
    `/CN=${name}`,
  );
  writeFileSync(at('server.ext'), `subjectAltName=DNS:${name}\n`);
  openssl(
    'x509',
    '-req',
    '-in',
    at('server.csr'),
    '-CA',
    at('ca.crt'),
    '-CAkey',
    at('ca.key'),
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    at('server.ext'),
    '-out',
    at('server.crt'),
  );
}
