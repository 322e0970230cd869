import { randomBytes } from 'node:crypto';
import { SECRETS, type Variable, exportedName } from './variables.ts';

export interface PlannedSecret {
  name: string;
  value: string;
  source: 'environment' | 'typed' | 'made';
}

export interface SecretPlan {
  /** Secrets to send; the others stay unchanged at Cloudflare. */
  send: PlannedSecret[];
  /** Required secrets that are set neither here nor at Cloudflare. */
  missing: Variable[];
}

/**
 * Sends exported secrets. Generates a secret only if Cloudflare has none: a new encryption key would make everything unreadable
 * that the old one encrypted.
 */
export function planSecrets(
  given: ReadonlyMap<string, PlannedSecret>,
  existing: ReadonlySet<string>,
): SecretPlan {
  const isSet = (name: string) => given.has(name) || existing.has(name);
  const isAvailable = ({ name, alternative }: Variable) =>
    isSet(name) || (alternative !== undefined && isSet(alternative));
  const made = SECRETS.filter((variable) => variable.generatedBytes && !isAvailable(variable)).map(
    ({ name, generatedBytes = 32 }): PlannedSecret => ({
      name,
      value: randomBytes(generatedBytes).toString('hex'),
      source: 'made',
    }),
  );
  const hasModel = SECRETS.some((variable) => variable.needed === 'model' && isAvailable(variable));
  return {
    send: [...given.values(), ...made],
    missing: SECRETS.filter(
      (variable) =>
        !isAvailable(variable) &&
        (variable.needed === 'always' || (variable.needed === 'model' && !hasModel)),
    ),
  };
}

export function exportedSecrets(env: NodeJS.ProcessEnv): Map<string, PlannedSecret> {
  const found = SECRETS.flatMap((variable) => {
    const value = env[exportedName(variable)];
    // People unset a variable by making it empty.
    if (!value) return [];
    return [[variable.name, { name: variable.name, value, source: 'environment' }] as const];
  });
  return new Map<string, PlannedSecret>(found);
}

/** The first secret with a wrong format: a mistyped key would otherwise fail only when a task needs it. */
export function firstMalformed(given: Iterable<PlannedSecret>): Variable | undefined {
  const values = new Map([...given].map(({ name, value }) => [name, value]));
  return SECRETS.find(({ name, pattern }) => {
    const value = values.get(name);
    return value !== undefined && pattern !== undefined && !pattern.test(value);
  });
}
