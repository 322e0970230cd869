import { randomBytes } from 'node:crypto';
import { SECRETS, type Variable, exportedName } from './variables.ts';

export interface PlannedSecret {
  name: string;
  value: string;
  source: 'environment' | 'typed' | 'made';
}

export interface SecretPlan {
  /** To be sent; the others stay as they are at Cloudflare. */
  send: PlannedSecret[];
  /** Set neither here nor there, and needed. */
  missing: Variable[];
}

/**
 * What is exported is sent. What Ship can make itself is made only where Cloudflare has none: a new key for secrets
 * would make everything unreadable that the old one sealed.
 */
export function planSecrets(
  given: ReadonlyMap<string, PlannedSecret>,
  existing: ReadonlySet<string>,
): SecretPlan {
  const isSet = (name: string) => given.has(name) || existing.has(name);
  const isThere = ({ name, instead }: Variable) =>
    isSet(name) || (instead !== undefined && isSet(instead));
  const made = SECRETS.filter((variable) => variable.madeOfBytes && !isThere(variable)).map(
    ({ name, madeOfBytes = 32 }): PlannedSecret => ({
      name,
      value: randomBytes(madeOfBytes).toString('hex'),
      source: 'made',
    }),
  );
  const hasModel = SECRETS.some((variable) => variable.needed === 'model' && isThere(variable));
  return {
    send: [...given.values(), ...made],
    missing: SECRETS.filter(
      (variable) =>
        !isThere(variable) &&
        (variable.needed === 'always' || (variable.needed === 'model' && !hasModel)),
    ),
  };
}

export function exportedSecrets(env: NodeJS.ProcessEnv): Map<string, PlannedSecret> {
  const found = SECRETS.flatMap((variable) => {
    const value = env[exportedName(variable)];
    // Empty is how people switch one off.
    if (!value) return [];
    return [[variable.name, { name: variable.name, value, source: 'environment' }] as const];
  });
  return new Map<string, PlannedSecret>(found);
}

/** The first that does not look right: a key with a typing mistake would fail only when a task needs it. */
export function misshapen(given: Iterable<PlannedSecret>): Variable | undefined {
  const values = new Map([...given].map(({ name, value }) => [name, value]));
  return SECRETS.find(({ name, pattern }) => {
    const value = values.get(name);
    return value !== undefined && pattern !== undefined && !pattern.test(value);
  });
}
