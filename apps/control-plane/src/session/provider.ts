import type { Settings } from '@ship/protocol';
import type { RuntimeMetadata } from './runtime-metadata.ts';

type Provider = Settings['sandboxProvider'];

/** Stored by position, counted from 1: only append. */
const PROVIDERS: readonly Provider[] = ['local', 'e2b'];

/** The sandbox service that was last asked for a sandbox; undefined before the first time. */
export function rememberedProvider(metadata: RuntimeMetadata): Provider | undefined {
  return PROVIDERS[metadata.read('provider') - 1];
}

export function rememberProvider(metadata: RuntimeMetadata, provider: Provider): void {
  metadata.write('provider', PROVIDERS.indexOf(provider) + 1);
}

/** The service that has this session's sandbox, or may have it: the setting may have changed since the sandbox was created. */
export function providerOf(metadata: RuntimeMetadata, { sandboxProvider }: Settings): Provider {
  return rememberedProvider(metadata) ?? sandboxProvider;
}
