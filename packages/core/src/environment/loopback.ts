import type { EnvironmentService, ValuePart } from './source.ts';

const LOOPBACK = '127.0.0.1';

/**
 * Replaces the host names of services by the loopback address: a sandbox does not resolve those names, and the native servers
 * listen on the loopback interface.
 */
export function onLoopback(
  variable: string,
  parts: readonly ValuePart[],
  services: readonly Pick<EnvironmentService, 'name'>[],
): ValuePart[] {
  return parts.map((part) => {
    if (typeof part !== 'string') return part;
    // A database may have its service's name: replace a whole value only in a variable for a host.
    const isHost = parts.length === 1 && /HOST|SERVER|ADDR/i.test(variable);
    if (isHost && services.some(({ name }) => name === part)) return LOOPBACK;
    return services.reduce((text, { name }) => replaceHost(text, name), part);
  });
}

/** Replaces `db:5432` at the start of a value, and `@db` or `//db` anywhere in it. */
function replaceHost(text: string, name: string): string {
  const host = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return text
    .replace(new RegExp(`^${host}(?=:\\d)`), LOOPBACK)
    .replaceAll(
      new RegExp(`(@|//)${host}(?=[:/?]|$)`, 'g'),
      (_, before: string) => before + LOOPBACK,
    );
}
