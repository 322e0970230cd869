import * as z from 'zod';
import { line } from './text.ts';

/** The first half of a model's reference: `anthropic` in `anthropic/claude-sonnet-5`. */
export const ProviderId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lowercase letters, digits and hyphens');
export type ProviderId = z.infer<typeof ProviderId>;

export const ModelProtocol = z.enum(['openai-chat', 'openai-responses', 'anthropic-messages']);
export type ModelProtocol = z.infer<typeof ModelProtocol>;

const usdPerMillion = z.number().nonnegative().max(100_000);
const rates = {
  input: usdPerMillion,
  output: usdPerMillion,
  cacheRead: usdPerMillion,
  cacheWrite: usdPerMillion,
};

/** USD per million tokens. Thinking is billed as output. Some providers charge other rates for long prompts. */
export const ModelPrice = z.strictObject({
  ...rates,
  long: z
    .strictObject({ aboveTokens: z.int().positive(), ...rates })
    .nullable()
    .default(null),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

const count = z.int().positive().max(100_000_000);

/** Known facts about a model. Null means unknown, not zero. */
export const ModelFacts = z.strictObject({
  name: line(200).optional(),
  contextTokens: count.nullable().optional(),
  outputTokens: count.nullable().optional(),
  price: ModelPrice.nullable().optional(),
  reasoning: z.boolean().optional(),
  images: z.boolean().optional(),
  tools: z.boolean().optional(),
});
export type ModelFacts = z.infer<typeof ModelFacts>;

/** The provider's own id, which may contain slashes. */
export const ModelId = z
  .string()
  .regex(/^[\x21-\x7e]{1,150}$/, 'must be printable, without spaces');

/** The provider's URL. Credentials in it would end up in logs; link-local addresses are cloud metadata services. */
export const BaseUrl = z
  .string()
  .max(2000)
  .superRefine((text, context) => {
    const problem = baseUrlProblem(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .transform((text) => text.replace(/\/+$/, ''));

function baseUrlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment';
  if (/^(169\.254\.|\[fe[89ab])/i.test(url.hostname)) return 'must not be a link-local address';
  return undefined;
}

const HeaderName = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be the name of a header')
  .refine(
    (name) => !/^(host|connection|content-.*|transfer-encoding|accept-encoding)$/.test(name),
    'cannot be set here',
  );
const HeaderValue = z.string().regex(/^[\x20-\x7e]{1,2000}$/, 'must be printable ASCII');
const MAX_HEADERS = 20;
const MAX_MODELS = 500;

/** `PUT /api/providers/:id`. The API never returns the key; when absent, the stored key stays. */
export const ProviderWrite = z.strictObject({
  protocol: ModelProtocol,
  name: line(100).nullable().default(null),
  baseUrl: BaseUrl,
  /** Null removes it. */
  key: z
    .string()
    .regex(/^[\x21-\x7e]{1,4000}$/, 'must be printable, without spaces')
    .nullable()
    .optional(),
  headers: z
    .record(HeaderName, HeaderValue)
    .refine((all) => Object.keys(all).length <= MAX_HEADERS, 'has too many headers')
    .optional(),
  /** Adds to the catalogue and overrides it. */
  models: z
    .record(ModelId, ModelFacts)
    .refine((all) => Object.keys(all).length <= MAX_MODELS, 'has too many models')
    .default({}),
});
export type ProviderWrite = z.infer<typeof ProviderWrite>;

/** `models.json` in the data folder. */
export const ModelsFile = z.strictObject({ providers: z.record(ProviderId, ProviderWrite) });
export type ModelsFile = z.infer<typeof ModelsFile>;

/** A later source in this list overrides the earlier ones. */
export const ProviderSource = z.enum(['environment', 'file', 'workspace']);
export type ProviderSource = z.infer<typeof ProviderSource>;

/** Public facts about a provider, without its secrets. */
export const ProviderInfo = z.object({
  providerId: ProviderId,
  name: z.string(),
  protocol: ModelProtocol,
  baseUrl: z.string(),
  hasKey: z.boolean(),
  headerNames: z.array(z.string()),
  models: z.record(z.string(), ModelFacts),
  source: ProviderSource,
  /** A scripted substitute for a model, with nominal prices. */
  isDemo: z.boolean(),
});
export type ProviderInfo = z.infer<typeof ProviderInfo>;

export const ProviderList = z.object({ providers: z.array(ProviderInfo) });
export type ProviderList = z.infer<typeof ProviderList>;
