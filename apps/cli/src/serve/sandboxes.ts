import { resolve } from 'node:path';
import { type SandboxServer, startSandboxServer } from '@ship/sandbox-server';
import { Failure } from '../failure.ts';
import { machineNetwork } from '../host/machine-network.ts';
import { untilSignalled } from './signals.ts';
import type { ToolchainChoice } from '../toolchain-names.ts';
import { resolveUserPath } from '../paths.ts';

export interface ServeSandboxesOptions {
  port: number;
  apiKey: string;
  data: string;
  domain?: string;
  pool: Record<string, number>;
  allow: string[];
  allowPrivate: string[];
  templates?: string;
  toolchains: ToolchainChoice;
  registryGateway: boolean;
  onExit: 'leave' | 'pause' | 'stop';
}

export async function serveSandboxes(options: ServeSandboxesOptions): Promise<void> {
  const signalled = untilSignalled();
  const server = await start(options);
  const { apiUrl, sandboxUrl, domain } = server;
  process.stdout.write(`${JSON.stringify({ apiUrl, sandboxUrl, domain })}\n`);
  await signalled;
  await server.close(options.onExit);
}

async function start(options: ServeSandboxesOptions): Promise<SandboxServer> {
  const { port, apiKey, data, domain, pool, allow, allowPrivate, templates, toolchains } = options;
  const { upstreamProxy, certificateFiles, warnings } = machineNetwork(process.env);
  for (const warning of warnings) process.stderr.write(`warn: ${warning}\n`);
  try {
    return await startSandboxServer({
      port,
      apiKey,
      dataDir: resolveUserPath(data),
      pool,
      egress: { allow: [...allow, ...allowPrivate], upstreamProxy },
      certificateFiles,
      toolchains,
      registries: { enabled: options.registryGateway },
      ...(domain === undefined ? {} : { domain }),
      ...(templates === undefined ? {} : { templatesDir: resolve(templates) }),
      log: ({ level, message, sandboxId }) =>
        process.stderr.write(
          `${level}${sandboxId === undefined ? '' : ` ${sandboxId}`}: ${message}\n`,
        ),
    });
  } catch (error) {
    // Errors at the start are about the machine or the options, and their message contains the fix.
    throw new Failure(
      error instanceof Error ? error.message : String(error),
      'ship doctor checks this machine.',
    );
  }
}
