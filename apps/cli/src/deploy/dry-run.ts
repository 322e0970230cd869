import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { type DeployOptions, changeLine, prepare } from './prepare.ts';
import { exportedSecrets, planSecrets } from './secrets.ts';
import { VARIABLES, exportedName } from './variables.ts';
import { lastLines, wrangler } from './wrangler.ts';

/** Shows what would happen and lets wrangler validate it, without network, account or changes to any file. */
export async function dryRun(options: DeployOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ship-deploy-'));
  try {
    const { file, text, changes, config } = prepare(options, env, folder);
    const temporary = join(folder, 'wrangler.jsonc');
    writeFileSync(temporary, text);
    const end = await wrangler(env)(['deploy', '--dry-run', '--config', temporary], {
      cwd: folder,
      show: false,
    });
    if (end.code !== 0)
      throw new Failure('wrangler refuses the configuration.', `It said:\n${lastLines(end)}`);
    const missing = missingFor(config.vars, env);
    const upload = /Total Upload: .*$/m.exec(end.stdout)?.[0] ?? '';
    if (options.json) {
      const result = { ok: true, dryRun: true, config: { file, changes }, missing, upload };
      process.stdout.write(`${JSON.stringify(result)}\n`);
      return;
    }
    process.stdout.write(`${file} would change:\n`);
    for (const change of changes) process.stdout.write(`  ${changeLine(change)}\n`);
    if (changes.length === 0) process.stdout.write('  nothing new\n');
    process.stdout.write(`\nwrangler accepts it. ${upload}\n`);
    for (const { name, remedy } of missing)
      process.stdout.write(`! ${name} is not set here\n  → ${remedy}\n`);
    process.stdout.write('\nNothing was changed, and no service was contacted.\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Variables that are not set on this machine; Cloudflare may already have them. */
function missingFor(vars: Record<string, string>, env: NodeJS.ProcessEnv) {
  const { missing } = planSecrets(exportedSecrets(env), new Set());
  const variables = VARIABLES.filter(
    ({ kind, needed, name }) => kind === 'variable' && needed && vars[name] === undefined,
  );
  return [...variables, ...missing].map((variable) => ({
    name: exportedName(variable),
    remedy: variable.remedy ?? '',
  }));
}
