import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { certificateEnvironment } from '../envd/certificates.ts';
import { mergeCertificates } from './bundle.ts';
import { writeCertificates } from './folder.ts';

let folder = '';
let certificate = '';
let privateKey = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ship-certificates-'));
  const [key, cert] = [join(folder, 'ca.key'), join(folder, 'ca.crt')];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const files = ['-subj', '/CN=Company', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', ...made, ...files], { stdio: 'ignore' });
  certificate = readFileSync(cert, 'utf8');
  privateKey = readFileSync(key, 'utf8');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const count = (pem: string): number => pem.split('BEGIN CERTIFICATE').length - 1;

describe('the certificates of a machine', () => {
  it('[NW9] are merged without duplicates; those that Node lacks are listed separately', () => {
    const [known = ''] = rootCertificates;
    const { all, additional } = mergeCertificates([`${known}\n${certificate}`, certificate, known]);
    expect(count(all)).toBe(2);
    expect(new X509Certificate(additional).subject).toBe('CN=Company');
    expect(count(additional)).toBe(1);
  });

  it('never include a private key or other contents of a file', () => {
    const text = `password: hunter2\n${privateKey}${certificate}-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n`;
    const { all } = mergeCertificates([text]);
    expect(all.trim()).toBe(certificate.trim());
    expect(mergeCertificates([privateKey, 'nothing'])).toEqual({ all: '', additional: '' });
  });

  it('are written world-readable, with the user’s files; a missing file is reported', () => {
    const place = join(folder, 'inside');
    const failures: string[] = [];
    const given = join(folder, 'mine.pem');
    writeFileSync(given, certificate + privateKey, { mode: 0o600 });
    writeCertificates(place, {
      files: [given, '/nowhere/ca.pem'],
      onFailure: (message) => failures.push(message),
    });
    expect(failures).toEqual(['the certificates in /nowhere/ca.pem cannot be read']);
    const all = readFileSync(join(place, 'ca-certificates.crt'), 'utf8');
    expect(all).toContain(certificate.trim());
    for (const name of readdirSync(place)) {
      expect(statSync(join(place, name)).mode & 0o777).toBe(0o644);
      expect(readFileSync(join(place, name), 'latin1')).not.toContain('PRIVATE KEY');
    }
  });

  it('are announced to every runtime by its variable, and only when they exist', () => {
    expect(certificateEnvironment(join(folder, 'absent'))).toEqual({});
    const place = join(folder, 'named');
    mkdirSync(place);
    for (const name of ['ca-certificates.crt', 'additional.crt', 'java-cacerts'])
      writeFileSync(join(place, name), '');
    const all = join(place, 'ca-certificates.crt');
    expect(certificateEnvironment(place)).toMatchObject({
      SSL_CERT_FILE: all,
      REQUESTS_CA_BUNDLE: all,
      PIP_CERT: all,
      CURL_CA_BUNDLE: all,
      GIT_SSL_CAINFO: all,
      CARGO_HTTP_CAINFO: all,
      NODE_EXTRA_CA_CERTS: join(place, 'additional.crt'),
      JAVA_TOOL_OPTIONS: expect.stringContaining(
        `-Djavax.net.ssl.trustStore=${join(place, 'java-cacerts')}`,
      ),
    });
  });
});
