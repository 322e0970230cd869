import { type EnvironmentLimits, type EnvironmentRow, notApplied } from './source.ts';
import { recordOf, scalarOf } from './untyped.ts';

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
};
const SET_BY_SERVICE = 'the sandbox service gives every sandbox the same limits';

/** `"8gb"` in bytes; null for anything that is not a size. */
function bytesOf(value: unknown): number | null {
  const [, number, unit = ''] =
    /^(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?$/.exec((scalarOf(value) ?? '').trim().toLowerCase()) ?? [];
  const factor = UNITS[unit];
  return number === undefined || factor === undefined ? null : Number(number) * factor;
}

export function readLimits(value: unknown): { limits: EnvironmentLimits; rows: EnvironmentRow[] } {
  const file = recordOf(value);
  const cpus = file['cpus'];
  const limits = {
    cpus: typeof cpus === 'number' && cpus > 0 ? cpus : null,
    memoryBytes: bytesOf(file['memory']),
    storageBytes: bytesOf(file['storage']),
  };
  const rows = Object.entries(file).map(([name, required]) =>
    notApplied(
      `hostRequirements.${name}`,
      name === 'gpu'
        ? 'a sandbox has no GPU'
        : `asks for ${scalarOf(required) ?? '?'}; ${SET_BY_SERVICE}`,
    ),
  );
  return { limits, rows };
}
