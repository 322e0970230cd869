import type { Command } from 'commander';
import { DEFAULT_PORT, parsePort } from './up.ts';

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check this machine and say how to mend what is missing')
    .option('--port <number>', 'port that Ship would use', parsePort, DEFAULT_PORT)
    .option('--data <folder>', 'folder for all state', '.ship')
    .option('--json', 'print one JSON object')
    .action(async (options: { port: number; data: string; json?: boolean }) => {
      const { examine } = await import('../doctor/examine.ts');
      const { printReport } = await import('../doctor/report.ts');
      const findings = await examine({ port: options.port, dataFolder: options.data });
      printReport(findings, options.json ?? false);
      if (findings.some((finding) => finding.verdict === 'fail')) process.exitCode = 1;
    });
}
