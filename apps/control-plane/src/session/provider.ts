import type { Settings } from '@ship/protocol';
import type { Vitals } from './vitals.ts';

type Provider = Settings['sandboxProvider'];

/** Remembered by their place from 1: add at the end. */
const PROVIDERS: readonly Provider[] = ['local', 'e2b'];

/** The service that was last asked for a sandbox; undefined before the first time. */
export function rememberedProvider(vitals: Vitals): Provider | undefined {
  return PROVIDERS[vitals.read('provider') - 1];
}

export function rememberProvider(vitals: Vitals, provider: Provider): void {
  vitals.write('provider', PROVIDERS.indexOf(provider) + 1);
}

/** The service that has this session's sandbox, or may have it: the setting may have changed since it was made. */
export function providerOf(vitals: Vitals, { sandboxProvider }: Settings): Provider {
  return rememberedProvider(vitals) ?? sandboxProvider;
}
