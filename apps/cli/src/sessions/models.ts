import type { Model, ModelList } from '@ship/protocol';
import { type ClientOptions, withServer } from '../client/with-server.ts';
import { oneLine, tokens } from '../progress/text.ts';

export async function listModels(options: ClientOptions): Promise<void> {
  const list = await withServer(options, ({ client }) => client.models());
  process.stdout.write(options.json === true ? `${JSON.stringify(list)}\n` : renderModels(list));
}

function renderModels({ models, unavailable }: ModelList): string {
  const width = Math.max(0, ...models.map(({ ref }) => ref.length));
  const lines = models.map((model) => `${model.ref.padEnd(width)}  ${describe(model)}`);
  const missing = unavailable.flatMap(({ providerId, error }) => [
    `${providerId}: ${oneLine(error.message, 160)}`,
    `  → ${oneLine(error.remedy, 160)}`,
  ]);
  return [...lines, ...missing].map((line) => `${line}\n`).join('');
}

function describe({ name, contextTokens, price, isDefault, isDemo }: Model): string {
  return [
    name,
    ...(contextTokens === null ? [] : [`${tokens(contextTokens)} tokens`]),
    price === null ? 'price unknown' : `$${price.input} in, $${price.output} out per million`,
    ...(isDemo ? ['demo'] : []),
    ...(isDefault ? ['default'] : []),
  ].join('  ');
}
