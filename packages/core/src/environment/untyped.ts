/** Readers for files that people write by hand: a value of the wrong type counts as absent. */

export function recordOf(value: unknown): Record<string, unknown> {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? Object.fromEntries(Object.entries(value)) : {};
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** Accepts numbers too: YAML reads `version: 22` as a number. */
export function scalarOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value : null;
}

export function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one) => typeof one === 'string');
}

export function portOf(value: unknown): number | null {
  const port = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  const isPort = typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536;
  return isPort ? port : null;
}
