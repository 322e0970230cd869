import * as z from 'zod';

/** `GET /api/sign-in`: how somebody in a browser is let in; none on a machine with one user. */
export const SignInWays = z.object({ ways: z.array(z.enum(['token'])) });
export type SignInWays = z.infer<typeof SignInWays>;

/** `POST /api/sign-in`: an API token, or the owner's. */
export const SignIn = z.strictObject({ token: z.string().trim().min(1).max(200) });
export type SignIn = z.infer<typeof SignIn>;

/** `GET /api/me`: as whom the caller is known here. */
export const Me = z.object({
  name: z.string(),
  /** Whether the caller is a browser that signed in. */
  canSignOut: z.boolean(),
});
export type Me = z.infer<typeof Me>;
