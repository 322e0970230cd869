import type { ModelRef } from '@ship/protocol';
import { unwrap } from '../platform/result.ts';
import type { ApiParts } from './api.ts';

/** The model asked for if it can be used, else the workspace's default. */
export async function chooseModel(
  { workspace, models }: Pick<ApiParts, 'workspace' | 'models'>,
  asked: ModelRef | null,
): Promise<ModelRef> {
  const { settings } = unwrap(await workspace().readSettings());
  return models.chooser.choose(asked, settings.defaultModel);
}
