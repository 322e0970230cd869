/** One JSON line per event. Fields are ids, codes, names and numbers, never text that a person or a model wrote. */
export type LogFields = Record<string, string | number | boolean | null>;

export function log(level: 'info' | 'warn' | 'error', event: string, fields: LogFields): void {
  // oxlint-disable-next-line no-console -- workerd's log is its output; the host collects it
  console.log(JSON.stringify({ level, event, at: Date.now(), ...fields }));
}
