import { writeFileSync } from 'node:fs';
import { Failure } from '../failure.ts';
import { canAsk } from '../terminal/ask.ts';
import { askSecrets, confirm } from './ask.ts';
import { Cloudflare } from './cloudflare.ts';
import { type DeployOptions, type Prepared, changeLine, prepare } from './prepare.ts';
import { type PlannedSecret, type SecretPlan, exportedSecrets, planSecrets } from './secrets.ts';
import { exportedName } from './variables.ts';
import { wrangler } from './wrangler.ts';

const NEEDS_A_PERSON = 3;
const DEFAULT_TEMPLATE = 'ship';

const say = (line: string) => process.stderr.write(`${line}\n`);

/** Every step is idempotent: the next run completes an interrupted deployment. */
export async function deploy(options: DeployOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const prepared = prepare(options, env);
  const { file, folder, config, changes } = prepared;
  const url = config.vars.PUBLIC_URL;
  if (url === undefined)
    throw new Failure(
      'The URL of the deployment is missing.',
      'Run ship deploy --url https://ship.example.com, or https://NAME.SUBDOMAIN.workers.dev.',
      2,
    );
  const cloudflare = new Cloudflare(wrangler(env), { file, folder, show: !options.json });
  const existing = await cloudflare.secretNames(config.name);
  const { send } = await completePlan(exportedSecrets(env), existing, options.json);
  await keepConfig(prepared, options);
  for (const { bucket_name: bucket } of config.r2_buckets)
    if (await cloudflare.ensureBucket(bucket)) say(`created the bucket ${bucket}`);
  const templateBuilt = await buildTemplate(config.vars, send, options.rebuildTemplate);
  await cloudflare.upload();
  // Shown before it is sent: afterwards no one can read it.
  const owner = send.find(({ name, source }) => name === 'OWNER_TOKEN' && source === 'made');
  if (owner !== undefined && !options.json)
    say(`\nOWNER_TOKEN creates the first API token; it is shown only once:\n  ${owner.value}\n`);
  await cloudflare.sendSecrets(config.name, send);
  const sent = send.map(({ name, source }) => ({ name, source }));
  if (options.json) {
    const ownerToken = owner?.value ?? null;
    const result = { ok: true, url, config: { file, changes }, secrets: sent, templateBuilt };
    process.stdout.write(`${JSON.stringify({ ...result, ownerToken })}\n`);
    return;
  }
  for (const { name, source } of sent) say(`${name}: sent (${source})`);
  process.stdout.write(`Ship is deployed: ${url}\n`);
  say(
    `Next: SHIP_URL=${url} SHIP_TOKEN=OWNER_TOKEN npx --no-install ship token create me, then ship run with that token.`,
  );
}

async function completePlan(
  given: Map<string, PlannedSecret>,
  existing: ReadonlySet<string>,
  json: boolean,
): Promise<SecretPlan> {
  const first = planSecrets(given, existing);
  if (first.missing.length === 0) return first;
  if (!json && canAsk())
    for (const secret of await askSecrets(first.missing)) given.set(secret.name, secret);
  const plan = planSecrets(given, existing);
  if (plan.missing.length === 0) return plan;
  const models = plan.missing.filter(({ needed }) => needed === 'model');
  const names = plan.missing.filter(({ needed }) => needed === 'always').map(exportedName);
  if (models.length > 0) names.push(`one of ${models.map(exportedName).join(', ')}`);
  throw new Failure(
    `Missing: ${names.join('; ')}.`,
    plan.missing
      .map(({ remedy = '', without = '' }) => `${remedy} Without it: ${without}`)
      .join('\n'),
    NEEDS_A_PERSON,
  );
}

/** Shows all changes and writes the file; replacing a user's value needs confirmation. */
async function keepConfig(
  { file, text, changes }: Prepared,
  { yes, json }: DeployOptions,
): Promise<void> {
  if (changes.length === 0) return;
  say(`${file}:`);
  for (const change of changes) say(`  ${changeLine(change)}`);
  const replaces = changes.some(({ kind }) => kind === 'changed');
  if (replaces && !yes && !(!json && canAsk() && (await confirm('Change what is marked ~?'))))
    throw new Failure(
      `${file} has values that a deployment needs to change.`,
      'Check the lines marked ~ and run it again with --yes, or keep your values in another file: --config FILE.',
      NEEDS_A_PERSON,
    );
  writeFileSync(file, text);
}

/** Builds the template only if the key is exported: a key that is only at Cloudflare cannot be read. */
async function buildTemplate(
  vars: Record<string, string>,
  send: readonly PlannedSecret[],
  again: boolean,
): Promise<boolean> {
  const apiKey = send.find(({ name }) => name === 'E2B_CLOUD_API_KEY')?.value;
  if (apiKey === undefined) {
    if (again)
      throw new Failure(
        'Building the template needs E2B_API_KEY.',
        'Export it and run this again.',
        2,
      );
    return false;
  }
  const name = vars.E2B_TEMPLATE ?? DEFAULT_TEMPLATE;
  const { ensureTemplate } = await import('./template.ts');
  try {
    return await ensureTemplate({ name, apiKey, onLine: say }, again);
  } catch (error) {
    throw new Failure(
      `The template ${name} could not be built at E2B.`,
      `E2B said: ${error instanceof Error ? error.message : 'nothing'}\nFix that, then run ship deploy again.`,
    );
  }
}
