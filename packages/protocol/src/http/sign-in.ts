import * as z from 'zod';

/** `GET /api/sign-in`: how a browser can sign in: with an API token, or with a link from the CLI. */
export const SignInWays = z.object({ ways: z.array(z.enum(['token', 'link'])) });
export type SignInWays = z.infer<typeof SignInWays>;

const secret = z.string().trim().min(1).max(200);

/** `POST /api/sign-in`: an API token, or the owner's; or the code of a link. */
export const SignIn = z.union([
  z.strictObject({ token: secret }),
  z.strictObject({ code: secret }),
]);
export type SignIn = z.infer<typeof SignIn>;

/** `POST /api/sign-in/links`: the code of a link that signs one browser in as the caller. */
export const SignInLink = z.object({ code: z.string(), expiresAt: z.int().nonnegative() });
export type SignInLink = z.infer<typeof SignInLink>;

/** `GET /api/me`: the caller's identity. */
export const Me = z.object({
  name: z.string(),
  /** Whether the caller is a browser that signed in. */
  canSignOut: z.boolean(),
});
export type Me = z.infer<typeof Me>;
