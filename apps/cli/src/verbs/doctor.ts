import type { Command } from 'commander';
import { DEPLOY_CONFIG } from './deploy.ts';
import { DEFAULT_PORT, parsePort } from './up.ts';
import { DEFAULT_DATA_FOLDER } from '../paths.ts';

interface DoctorOptions {
  repo?: string;
  base?: string;
  url?: string;
  port: number;
  data: string;
  cloud?: boolean;
  config: string;
  offline?: boolean;
  json?: boolean;
}

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check this machine and say how to fix what is missing')
    .option('--port <number>', 'port that Ship would use', parsePort, DEFAULT_PORT)
    .option('--data <folder>', 'folder for all state', DEFAULT_DATA_FOLDER)
    .option(
      '--cloud',
      'check what a deployment needs instead: every variable, and whether keys are valid',
    )
    .option('--config <file>', 'with --cloud: the configuration of the deployment', DEPLOY_CONFIG)
    .option('--offline', 'with --cloud: contact no service')
    .option(
      '--repo <path|url>',
      'check a repository instead: set it up in a sandbox and run its tests, without an agent',
    )
    .option('--base <branch>', 'with --repo: branch to check (default: the repository’s default)')
    .option('--url <url>', 'with --repo: server to use (default: the one of the data folder)')
    .option('--json', 'print one JSON object')
    .action(async (options: DoctorOptions) => {
      if (options.repo !== undefined) {
        const { checkRepository } = await import('../doctor/repository.ts');
        await checkRepository(options.repo, options);
        return;
      }
      const { printReport } = await import('../doctor/report.ts');
      const findings = await find(options);
      printReport(findings, options.json ?? false, options.cloud ? CLOUD_WORDS : undefined);
      if (findings.some((finding) => finding.verdict === 'fail')) process.exitCode = 1;
    });
}

const CLOUD_WORDS = {
  good: 'Ship can be deployed: ship deploy',
  bad: 'A deployment would not work completely yet: fix the lines marked ✗.',
};

async function find({ port, data, cloud, config, offline }: DoctorOptions) {
  if (cloud) {
    const { examineCloud } = await import('../doctor/cloud/examine.ts');
    return examineCloud({ config, offline: offline ?? false, env: process.env });
  }
  const { examine } = await import('../doctor/examine.ts');
  return examine({ port, dataFolder: data });
}
