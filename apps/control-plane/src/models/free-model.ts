import type { ModelRef } from '@ship/protocol';

/** The demo model's prices are nominal, so that the UI has costs to show; default caps do not count them. */
export const FREE_MODELS = 'demo/';

export function isFreeModel(model: ModelRef): boolean {
  return model.startsWith(FREE_MODELS);
}
