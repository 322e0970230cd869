/** The token in an Authorization header: `token T`, `Bearer T`, or Basic with the token as user name or password. */
export function parseCredentials(header: string | undefined): string | undefined {
  const match = /^(token|bearer|basic) +(\S+) *$/i.exec(header ?? '');
  const [, scheme, value] = match ?? [];
  if (scheme === undefined || value === undefined) return undefined;
  if (scheme.toLowerCase() !== 'basic') return value;
  const decoded = Buffer.from(value, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  const user = colon < 0 ? decoded : decoded.slice(0, colon);
  const password = colon < 0 ? '' : decoded.slice(colon + 1);
  const token = password === '' || password === 'x-oauth-basic' ? user : password;
  return token === '' ? undefined : token;
}
