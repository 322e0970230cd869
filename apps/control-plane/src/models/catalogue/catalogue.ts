import { ModelFacts, ProviderId } from '@ship/protocol';
import * as z from 'zod';
import shipped from './catalogue.json' with { type: 'json' };

const Catalogue = z.object({
  about: z.string(),
  checkedOn: z.iso.date(),
  providers: z.record(
    ProviderId,
    z.object({ smallModel: z.string(), models: z.record(z.string(), ModelFacts) }),
  ),
});

/** Built-in facts about well-known models: small, dated, and overridden by a provider's settings. */
const { providers } = Catalogue.parse(shipped);

const NONE = { smallModel: undefined, models: {} as Record<string, ModelFacts> };

export function catalogueOf(providerId: ProviderId): {
  /** For titles and summaries. */
  smallModel: string | undefined;
  models: Record<string, ModelFacts>;
} {
  return (Object.hasOwn(providers, providerId) ? providers[providerId] : undefined) ?? NONE;
}
