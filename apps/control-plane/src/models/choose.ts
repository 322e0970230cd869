import type { ModelRef } from '@ship/protocol';
import type { Models } from './model-list.ts';

export interface ModelChooser {
  /** Resolves the requested model, or the default when none was requested; throws with the available models otherwise. */
  choose: (requested: ModelRef | null, defaultModel: ModelRef | null) => Promise<ModelRef>;
}

/** Without an agent no model is called, so any name will do. */
const UNUSED_MODEL: ModelRef = 'none/none';

export function modelChooser(models: Models, hasAgent: boolean): ModelChooser {
  return {
    choose: async (requested, defaultModel) =>
      hasAgent
        ? (await models.resolve(requested, defaultModel)).ref
        : (requested ?? defaultModel ?? UNUSED_MODEL),
  };
}
