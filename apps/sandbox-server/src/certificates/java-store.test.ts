import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { findTool } from '../isolation/bubblewrap/host-tools.ts';
import { javaTrustStore } from './java-store.ts';

const bundle = rootCertificates.slice(0, 3).join('\n');

it('[NW9] a Java trust store contains every certificate once, and the same certificates give the same bytes', () => {
  const store = javaTrustStore(bundle);
  expect(store.subarray(0, 12).toString('hex')).toBe('feedfeed0000000200000003');
  expect(javaTrustStore(bundle)).toEqual(store);
  expect(javaTrustStore('')).toHaveLength(0);
});

const keytool = findTool('keytool', ['/usr/bin']);

it.skipIf(keytool === undefined)(
  '[NW9] keytool lists its entries and accepts its digest',
  { timeout: 60_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'ship-java-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'cacerts');
    writeFileSync(file, javaTrustStore(bundle));
    // A JVM would leave a folder in /tmp.
    const list = ['-J-XX:-UsePerfData', '-list', '-keystore', file, '-storepass', 'changeit'];
    const output = execFileSync(keytool ?? '', list, { encoding: 'utf8', stdio: 'pipe' });
    expect(output.match(/trustedCertEntry/g)).toHaveLength(3);
  },
);
