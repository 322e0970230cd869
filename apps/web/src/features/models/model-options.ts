import type { Model } from '@ship/protocol';

export interface ModelGroup {
  readonly provider: string;
  readonly models: readonly { readonly ref: string; readonly label: string }[];
}

const price = ({ price: known }: Pick<Model, 'price'>) =>
  known === null ? 'price unknown' : `$${known.input} in, $${known.output} out`;

/** Groups by provider, with the demo last: it is not a real model. */
export function groupModels(models: readonly Model[]): readonly ModelGroup[] {
  const groups = new Map<string, Model[]>();
  for (const model of models)
    groups.set(model.providerId, [...(groups.get(model.providerId) ?? []), model]);
  return [...groups]
    .toSorted(([, a], [, b]) => Number(a[0]?.isDemo ?? false) - Number(b[0]?.isDemo ?? false))
    .map(([provider, list]) => ({
      provider: list[0]?.isDemo === true ? `${provider} (scripted)` : provider,
      models: list.map((model) => ({
        ref: model.ref,
        label: model.isDemo ? model.name : `${model.name} · ${price(model)}`,
      })),
    }));
}
