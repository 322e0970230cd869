import { Me, SignInWays } from '@ship/protocol';
import { noContent, requestJson } from './request-json.ts';

export const readMe = (signal?: AbortSignal) => requestJson('/api/me', Me, { signal });

export const readSignInWays = (signal?: AbortSignal) =>
  requestJson('/api/sign-in', SignInWays, { signal });

export const signIn = (token: string) =>
  requestJson('/api/sign-in', noContent, { method: 'POST', body: { token } });

/** Signs in with the code of a link that `ship up` or `ship open` printed. */
export const signInByCode = (code: string) =>
  requestJson('/api/sign-in', noContent, { method: 'POST', body: { code } });

export const signOut = () => requestJson('/api/sign-out', noContent, { method: 'POST' });
