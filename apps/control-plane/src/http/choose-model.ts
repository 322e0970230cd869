import type { ModelRef } from '@ship/protocol';
import { unwrap } from '../platform/result.ts';
import type { ApiDeps } from './api.ts';

/** The requested model, or the workspace's default; throws when it is not available. */
export async function chooseModel(
  { workspace, models }: Pick<ApiDeps, 'workspace' | 'models'>,
  requested: ModelRef | null,
): Promise<ModelRef> {
  const { settings } = unwrap(await workspace().readSettings());
  return models.chooser.choose(requested, settings.defaultModel);
}
