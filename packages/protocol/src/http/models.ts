import * as z from 'zod';
import { ModelRef } from '../events/session-events.ts';
import { ShipError } from '../error-schema.ts';
import { ModelPrice, ProviderId } from './providers.ts';

/** A model that can be chosen now. Null means unknown. */
export const Model = z.object({
  ref: ModelRef,
  providerId: ProviderId,
  modelId: z.string(),
  name: z.string(),
  contextTokens: z.int().positive().nullable(),
  outputTokens: z.int().positive().nullable(),
  price: ModelPrice.nullable(),
  reasoning: z.boolean(),
  images: z.boolean(),
  tools: z.boolean(),
  isDemo: z.boolean(),
  isDefault: z.boolean(),
});
export type Model = z.infer<typeof Model>;

/** `GET /api/models` */
export const ModelList = z.object({
  models: z.array(Model),
  defaultModel: ModelRef.nullable(),
  /** Configured providers whose models are not available, with the reason. */
  unavailable: z.array(z.object({ providerId: ProviderId, error: ShipError })),
});
export type ModelList = z.infer<typeof ModelList>;
