import type { ModelRef } from '@ship/protocol';

/** The model id itself may contain slashes. */
export function splitRef(ref: ModelRef): { providerId: string; modelId: string } {
  const slash = ref.indexOf('/');
  return { providerId: ref.slice(0, slash), modelId: ref.slice(slash + 1) };
}
