import * as z from 'zod';
import { line } from './text.ts';

/** The first half of a model's reference: `anthropic` in `anthropic/claude-sonnet-5`. */
export const ProviderId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be small letters, digits and dashes');
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

/** USD for a million tokens. Thinking is billed as output. Some providers charge long prompts at other rates. */
export const ModelPrice = z.strictObject({
  ...rates,
  long: z
    .strictObject({ aboveTokens: z.int().positive(), ...rates })
    .nullable()
    .default(null),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

const count = z.int().positive().max(100_000_000);

/** What is known of a model. Null is "not known", which is not zero. */
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

/** As the provider calls it; it may contain slashes. */
export const ModelId = z
  .string()
  .regex(/^[\x21-\x7e]{1,150}$/, 'must be printable, without spaces');

/** Where requests go. Credentials in it would end in logs; link-local addresses are the cloud's own services. */
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
    'is not for you to set',
  );
const HeaderValue = z.string().regex(/^[\x20-\x7e]{1,2000}$/, 'must be printable ASCII');
const MAX_HEADERS = 20;
const MAX_MODELS = 500;

/** `PUT /api/providers/:id`. The key goes in and never comes out; without one the key of before stays. */
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
  /** Adds to the catalogue and overrules it. */
  models: z
    .record(ModelId, ModelFacts)
    .refine((all) => Object.keys(all).length <= MAX_MODELS, 'has too many models')
    .default({}),
});
export type ProviderWrite = z.infer<typeof ProviderWrite>;

/** `models.json` in the data folder. */
export const ModelsFile = z.strictObject({ providers: z.record(ProviderId, ProviderWrite) });
export type ModelsFile = z.infer<typeof ModelsFile>;

/** What is configured later in this list overrules what came before. */
export const ProviderSource = z.enum(['environment', 'file', 'workspace']);
export type ProviderSource = z.infer<typeof ProviderSource>;

/** What may be known about a provider: of its secrets only that they are there. */
export const ProviderInfo = z.object({
  providerId: ProviderId,
  name: z.string(),
  protocol: ModelProtocol,
  baseUrl: z.string(),
  hasKey: z.boolean(),
  headerNames: z.array(z.string()),
  models: z.record(z.string(), ModelFacts),
  source: ProviderSource,
  /** A scripted stand-in for a model: its answers are no model's and its prices are nominal. */
  isDemo: z.boolean(),
});
export type ProviderInfo = z.infer<typeof ProviderInfo>;

export const ProviderList = z.object({ providers: z.array(ProviderInfo) });
export type ProviderList = z.infer<typeof ProviderList>;
