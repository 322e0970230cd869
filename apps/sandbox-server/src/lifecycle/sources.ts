import type { Limits } from '../isolation/backend.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { LayerRecord } from '../store/records.ts';
import type { TemplateCatalog, TemplateInfo } from './context.ts';
import { Refusal } from './errors.ts';

/** Source of a new sandbox: a template, or a layer captured from a sandbox. */
export interface Source {
  templateId: string;
  alias: string | undefined;
  layer: string;
  limits: Limits;
  env: Record<string, string>;
}

/** `team/name:tag`, `name:default` and `name` are equal here: there is one team. Other tags are kept. */
export function normalizeName(name: string): string {
  const withoutTeam = name.slice(name.lastIndexOf('/') + 1).toLowerCase();
  return withoutTeam.endsWith(':default') ? withoutTeam.slice(0, -':default'.length) : withoutTeam;
}

export function findLayer(
  layers: RecordStore<LayerRecord>,
  reference: string,
): LayerRecord | undefined {
  const wanted = normalizeName(reference);
  return layers
    .all()
    .find(
      (layer) =>
        layer.listed &&
        layer.ready &&
        (layer.snapshotId === wanted || layer.names.some((name) => normalizeName(name) === wanted)),
    );
}

export async function findTemplate(
  catalog: TemplateCatalog,
  reference: string,
): Promise<TemplateInfo | undefined> {
  const wanted = normalizeName(reference);
  const templates = await catalog.list();
  return templates.find(
    (template) =>
      template.templateId === wanted ||
      template.names.some((name) => normalizeName(name) === wanted),
  );
}

export async function findSource(
  catalog: TemplateCatalog,
  layers: RecordStore<LayerRecord>,
  reference: string,
): Promise<Source> {
  const layer = findLayer(layers, reference);
  if (layer !== undefined) {
    return {
      templateId: layer.snapshotId,
      alias: layer.names[0],
      layer: layer.id,
      limits: layer.limits,
      env: layer.env,
    };
  }
  const template = await findTemplate(catalog, reference);
  if (template === undefined) {
    throw new Refusal(
      404,
      `Template ${JSON.stringify(reference.slice(0, 128))} was not found.`,
      'Use a name from GET /templates, or a snapshot from GET /snapshots.',
    );
  }
  const { templateId, names, limits } = template;
  const base = await catalog.layerOf(templateId);
  return { templateId, alias: names[0], layer: base, limits, env: {} };
}
