import type { ModelRef } from '@ship/protocol';

/** A model's own name may have slashes. */
export function splitRef(ref: ModelRef): { providerId: string; modelId: string } {
  const slash = ref.indexOf('/');
  return { providerId: ref.slice(0, slash), modelId: ref.slice(slash + 1) };
}
