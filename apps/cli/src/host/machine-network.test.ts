import { describe, expect, it } from 'vitest';
import { fileURLToPath } from 'node:url';
import { collectPrivateHost, machineNetwork } from './machine-network.ts';

const here = fileURLToPath(import.meta.url);

describe('the network of this machine', () => {
  it('is read from the usual variables', () => {
    expect(
      machineNetwork({
        HTTPS_PROXY: 'http://me:secret@proxy.test:3128',
        http_proxy: 'proxy.test:8080',
        NO_PROXY: 'localhost,.corp.test',
        NODE_EXTRA_CA_CERTS: here,
        SSL_CERT_FILE: here,
      }),
    ).toEqual({
      upstreamProxy: {
        https: 'http://me:secret@proxy.test:3128',
        http: 'proxy.test:8080',
        noProxy: 'localhost,.corp.test',
      },
      certificateFiles: [here],
      warnings: [],
    });
    expect(machineNetwork({})).toEqual({ upstreamProxy: {}, certificateFiles: [], warnings: [] });
    expect(
      machineNetwork({ ALL_PROXY: 'http://proxy.test', https_proxy: '' }).upstreamProxy,
    ).toEqual({ https: 'http://proxy.test', http: 'http://proxy.test' });
  });

  it('warns about unused settings, without passwords', () => {
    const { upstreamProxy, certificateFiles, warnings } = machineNetwork({
      HTTPS_PROXY: 'socks5://me:secret@proxy.test',
      SSL_CERT_FILE: '/nowhere/ca.pem',
    });
    expect({ upstreamProxy, certificateFiles }).toEqual({
      upstreamProxy: {},
      certificateFiles: [],
    });
    expect(warnings).toEqual([
      'SSL_CERT_FILE is not used for sandboxes: there is no file /nowhere/ca.pem.',
      'HTTPS_PROXY is not used for sandboxes: only http:// and https:// proxies are.',
    ]);
  });

  it('--allow-private accepts a host and its address range', () => {
    expect(collectPrivateHost('npm.corp.test', [])).toEqual(['npm.corp.test=private']);
    expect(collectPrivateHost('npm.corp.test:8443=10.0.0.0/8', ['a=private'])).toEqual([
      'a=private',
      'npm.corp.test:8443=10.0.0.0/8',
    ]);
    for (const wrong of ['https://npm.corp.test', '*.corp.test', 'a=b', ''])
      expect(() => collectPrivateHost(wrong, [])).toThrow('It must look like');
  });
});
