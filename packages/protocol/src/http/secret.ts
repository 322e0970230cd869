import * as z from 'zod';
import { RepositoryId } from '../ids.ts';

/** The name of an environment variable. */
export const SecretName = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]{0,99}$/, 'must look like API_KEY: capitals, digits and underscores');
export type SecretName = z.infer<typeof SecretName>;

/** A secret of one repository or, with null, of the whole workspace. */
export const SecretRef = z.object({
  name: SecretName,
  repositoryId: RepositoryId.nullable(),
});
export type SecretRef = z.infer<typeof SecretRef>;

/** Public facts about a secret. The API never returns its value. */
export const SecretInfo = SecretRef.extend({ updatedAt: z.int().nonnegative() });
export type SecretInfo = z.infer<typeof SecretInfo>;

/** `PUT /api/secrets/:name` */
export const SecretWrite = z.strictObject({
  value: z.string().min(1).max(32_768),
  repositoryId: RepositoryId.nullable().default(null),
});
export type SecretWrite = z.infer<typeof SecretWrite>;

export const SecretList = z.object({ secrets: z.array(SecretInfo) });
export type SecretList = z.infer<typeof SecretList>;
