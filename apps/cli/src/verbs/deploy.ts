import type { Command } from 'commander';
import type { DeployOptions } from '../deploy/prepare.ts';

export const DEPLOY_CONFIG = 'ship.wrangler.jsonc';

interface Given extends Partial<DeployOptions> {
  config: string;
}

export function registerDeploy(program: Command): void {
  program
    .command('deploy')
    .description('bring Ship to Cloudflare, with sandboxes at E2B and repositories at GitHub')
    .option('--url <url>', 'URL of the deployment: https://ship.example.com')
    .option('--name <name>', 'name of the Worker (default: ship)')
    .option(
      '--config <file>',
      'your configuration, which ship deploy creates and updates',
      DEPLOY_CONFIG,
    )
    .option('--dry-run', 'show and check everything; changes nothing, needs no network')
    .option('--yes', 'change values of the configuration without asking')
    .option('--rebuild-template', 'build the sandbox template at E2B again')
    .option('--json', 'print one JSON object')
    .action(async (given: Given) => {
      const options: DeployOptions = {
        ...given,
        dryRun: given.dryRun ?? false,
        yes: given.yes ?? false,
        rebuildTemplate: given.rebuildTemplate ?? false,
        json: given.json ?? false,
      };
      if (options.dryRun) {
        const { dryRun } = await import('../deploy/dry-run.ts');
        return dryRun(options, process.env);
      }
      const { deploy } = await import('../deploy/deploy.ts');
      return deploy(options, process.env);
    });
}
