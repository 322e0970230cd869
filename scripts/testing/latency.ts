/** Measures how long calls take while something else happens, from a separate process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const EVERY_MS = 25;
const SCRIPT = fileURLToPath(new URL('measure-latency.ts', import.meta.url));

/** In milliseconds. */
export interface Latency {
  calls: number;
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

export interface LatencyProbe<Name extends string> {
  end(): Promise<Record<Name, Latency>>;
}

/** Calls all addresses at the same time: each suffers the same noise of the machine. */
export function probeLatency<Name extends string>(
  token: string,
  urls: Record<Name, string>,
): LatencyProbe<Name> {
  const targets = Object.entries<string>(urls).map(([name, url]) => `${name}=${url}`);
  const child = spawn(process.execPath, [SCRIPT, token, String(EVERY_MS), ...targets], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (output += piece));
  const closed = once(child, 'close') as Promise<[number | null]>;
  return {
    async end() {
      child.stdin.end();
      const [code] = await closed;
      if (code !== 0) throw new Error(`the probe ended with code ${code}`);
      const taken = JSON.parse(output) as Record<Name, number[]>;
      const named = Object.entries<number[]>(taken).map(([name, ms]) => [name, latencyOf(ms)]);
      return Object.fromEntries(named) as Record<Name, Latency>;
    },
  };
}

/**
 * A call that waits for ten seconds is one call, and keeps out the four hundred that would have waited as well: they are counted
 * as if they had been made.
 */
function latencyOf(taken: readonly number[]): Latency {
  const all = taken.flatMap((ms) =>
    Array.from({ length: Math.max(1, Math.ceil(ms / EVERY_MS)) }, (_, at) => ms - at * EVERY_MS),
  );
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { calls: taken.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}
