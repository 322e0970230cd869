import type { ModelRef } from '@ship/protocol';
import type { Models } from './model-list.ts';

export interface ModelChooser {
  /** The model asked for if it can be used, else a refusal that names those that can; the default when none was asked for. */
  choose: (asked: ModelRef | null, wanted: ModelRef | null) => Promise<ModelRef>;
}

/** Where no agent works, nothing can be wrong about a model. */
const UNUSED_MODEL: ModelRef = 'none/none';

export function modelChooser(models: Models, hasAgent: boolean): ModelChooser {
  return {
    choose: async (asked, wanted) =>
      hasAgent ? (await models.resolve(asked, wanted)).ref : (asked ?? wanted ?? UNUSED_MODEL),
  };
}
