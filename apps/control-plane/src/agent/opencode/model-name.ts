import type { ModelRef } from '@ship/protocol';

/**
 * OpenCode knows many providers by name and would merge its own settings (addresses, environment variables for keys) into
 * Ship's. Under an unknown name, only Ship's settings apply.
 */
export function providerIdOf(provider: string): string {
  return `ship-${provider}`;
}

export function splitModel(model: ModelRef): { provider: string; id: string } {
  const slash = model.indexOf('/');
  return { provider: model.slice(0, slash), id: model.slice(slash + 1) };
}

export function toOpencodeModel(model: ModelRef): string {
  const { provider, id } = splitModel(model);
  return `${providerIdOf(provider)}/${id}`;
}
