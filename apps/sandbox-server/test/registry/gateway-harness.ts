/** The gateway without sandboxes: a separate server on loopback, for tests that need no client. */
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { trustedAuthorities } from '../../src/certificates/authorities.ts';
import { readCertificates } from '../../src/certificates/folder.ts';
import { ownerPolicy, parseConfig, type ConfigInput } from '../../src/config.ts';
import { systemDialer } from '../../src/egress/dial.ts';
import { Ledger, type ledgerSchema } from '../../src/egress/ledger.ts';
import type { SandboxPolicy } from '../../src/egress/policy.ts';
import { upstreamProxies } from '../../src/egress/upstream-proxy.ts';
import { ManualClock } from '../../src/lifecycle/clock.ts';
import { openRegistryGateway } from '../../src/registry/index.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';

export interface Answer {
  status: number;
  reason: string;
  body: string;
  headers: Record<string, unknown>;
}

export interface GatewayHarness {
  folder: string;
  /** Address of the gateway. */
  url: string;
  clock: ManualClock;
  policy: SandboxPolicy;
  ledger(): z.output<typeof ledgerSchema>['entries'];
  /** Sends the path unchanged. */
  ask(
    path: string,
    options?: { method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<Answer>;
  close(): Promise<void>;
}

interface HarnessOptions {
  /** Files in the owner's home. */
  home: Record<string, string>;
  environment?: Record<string, string>;
  registries?: ConfigInput['registries'];
  egress?: ConfigInput['egress'];
  resolve?: (host: string) => Promise<string[]>;
  certificateFiles?: string[];
  log?: (message: string) => void;
}

export async function openGatewayHarness(options: HarnessOptions): Promise<GatewayHarness> {
  const folder = mkdtempSync(join(tmpdir(), 'ship-registry-'));
  for (const [name, text] of Object.entries(options.home)) writeFileSync(join(folder, name), text);
  const { environment = {} } = options;
  const config = parseConfig({
    apiKey: 'registry-key',
    dataDir: join(folder, 'data'),
    registries: { home: folder, environment, ...options.registries },
    ...(options.egress !== undefined && { egress: options.egress }),
  });
  const clock = new ManualClock();
  const ledger = new Ledger('s', () => undefined);
  const policy: SandboxPolicy = { allowOut: [], denyOut: [], internet: true };
  const session = {
    sandboxId: 's',
    ledger,
    policy,
    sockets: new Set<never>(),
    outbound: new Set<never>(),
  };
  const authorities = trustedAuthorities(readCertificates(options.certificateFiles ?? []));
  const opened = await openRegistryGateway({
    config: config.registries,
    dataDir: config.dataDir,
    minFreeDiskMb: 1,
    owner: ownerPolicy(config.egress),
    isListOnly: config.egress.onlyThese,
    resolve: options.resolve ?? (() => Promise.reject(new Error('no resolver'))),
    dial: systemDialer,
    proxies: upstreamProxies(config.egress.upstreamProxy, authorities),
    authorities,
    clock,
    onFailure: options.log ?? (() => undefined),
  });
  const server = createServer((request, response) => {
    const meter = { in: () => undefined, out: () => undefined };
    void opened?.gateway.handle({ ...session, policy: harness.policy }, meter, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const harness: GatewayHarness = {
    folder,
    url: `http://127.0.0.1:${port}`,
    clock,
    policy,
    ledger: () => ledger.toFile().entries,
    ask: (path, { method = 'GET', headers = {}, body = '' } = {}) =>
      new Promise((resolve, reject) => {
        const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              reason: answer.statusMessage ?? '',
              body: Buffer.concat(chunks).toString('latin1'),
              headers: answer.headers,
            }),
          );
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    async close() {
      opened?.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      removeFolder(folder);
    },
  };
  return harness;
}
