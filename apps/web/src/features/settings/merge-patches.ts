import type { SettingsPatch } from '@ship/protocol';

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges several fields of one group into one patch of that group. */
export function mergePatches(patches: readonly SettingsPatch[]): SettingsPatch {
  const merged: Record<string, unknown> = {};
  for (const patch of patches)
    for (const [key, value] of Object.entries(patch)) {
      const before = merged[key];
      merged[key] = isGroup(value) && isGroup(before) ? { ...before, ...value } : value;
    }
  return merged;
}
