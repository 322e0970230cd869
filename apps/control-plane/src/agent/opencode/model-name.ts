import type { ModelRef } from '@ship/protocol';

/**
 * OpenCode knows many providers by name and would mix what it knows (addresses, environment variables for keys) into ours.
 * Under a name that it does not know, only what we say counts.
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
