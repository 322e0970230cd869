import * as z from 'zod';
import { ShipError } from '../error-schema.ts';

/** A configured credential for the forge. The API never returns the token itself. */
export const ForgeCredential = z.discriminatedUnion('source', [
  z.object({
    source: z.literal('workspace'),
    setAt: z.int().nonnegative(),
    /** The account's login at the last check; null when the forge never answered. */
    login: z.string().nullable(),
  }),
  z.object({ source: z.literal('environment') }),
  z.object({ source: z.literal('app') }),
]);
export type ForgeCredential = z.infer<typeof ForgeCredential>;

export const GithubForgeInfo = z.object({
  kind: z.literal('github'),
  /** `https://github.com`, or a GitHub Enterprise Server. */
  url: z.string(),
  /** The first one is used. */
  credentials: z.array(ForgeCredential),
});
export type GithubForgeInfo = z.infer<typeof GithubForgeInfo>;

/** The forge of this machine, where folders are repositories. */
const LocalForgeInfo = z.object({ kind: z.literal('local') });

export const ForgeList = z.object({
  forges: z.array(z.discriminatedUnion('kind', [GithubForgeInfo, LocalForgeInfo])),
});
export type ForgeList = z.infer<typeof ForgeList>;

/** `PUT /api/forges/github/token` */
export const ForgeTokenWrite = z.strictObject({
  token: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,1000}$/, 'must be printable, without spaces'),
});
export type ForgeTokenWrite = z.infer<typeof ForgeTokenWrite>;

/** The result of checking a credential at the forge. `unknown`: the forge could not be reached. */
export const ForgeCheck = z.discriminatedUnion('state', [
  z.object({ state: z.literal('accepted'), login: z.string() }),
  z.object({ state: z.literal('refused'), error: ShipError }),
  z.object({ state: z.literal('unknown'), error: ShipError }),
]);
export type ForgeCheck = z.infer<typeof ForgeCheck>;

export const ForgeTokenStored = z.object({ forge: GithubForgeInfo, check: ForgeCheck });
export type ForgeTokenStored = z.infer<typeof ForgeTokenStored>;
