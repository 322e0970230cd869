import type { Health, PartHealth, PartState } from '@ship/protocol';
import type { Tone } from '../../ui/tone.tsx';
import type { Link } from './link.ts';

interface Summary {
  readonly tone: Tone;
  /** One or two words for the sidebar. */
  readonly short: string;
  readonly title: string;
  readonly text: string;
}

const names: Readonly<Record<string, { label: string; role: string }>> = {
  'control-plane': { label: 'Control plane', role: 'Serves this page and the API' },
  storage: { label: 'Storage', role: 'Stores every session on disk' },
  host: { label: 'Host', role: 'Supervises the other parts' },
  sandboxes: { label: 'Sandboxes', role: 'Isolates agents from this machine' },
  forge: { label: 'Forge', role: 'Serves git and pull requests for repositories on this machine' },
  'demo-model': { label: 'Demo model', role: 'Answers the demo from a script' },
};

const capitalized = (name: string) => {
  const words = name.replaceAll(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const partLabel = (name: string): string => names[name]?.label ?? capitalized(name);
export const partRole = (name: string): string | null => names[name]?.role ?? null;

const partTones: Readonly<Record<PartState, Tone>> = {
  up: 'ok',
  starting: 'busy',
  restarting: 'warn',
  down: 'bad',
};
const stateLabels: Readonly<Record<PartState, string>> = {
  up: 'Up',
  starting: 'Starting',
  restarting: 'Restarting',
  down: 'Down',
};
export const stateLabel = (state: PartState): string => stateLabels[state];
export const partTone = (state: PartState): Tone => partTones[state];

const severity: Readonly<Record<PartState, number>> = {
  down: 3,
  restarting: 2,
  starting: 1,
  up: 0,
};

const unhealthy = (parts: readonly PartHealth[]): readonly PartHealth[] =>
  parts
    .filter((part) => part.state !== 'up')
    .toSorted((a, b) => severity[b.state] - severity[a.state]);

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

const sentence = (part: PartHealth) => `${partLabel(part.name)} is ${part.state}.`;

function summarizeHealth({ status, parts }: Health): Summary {
  const [worst, ...others] = unhealthy(parts);
  if (worst === undefined) {
    return status === 'ok'
      ? {
          tone: 'ok',
          short: 'Connected',
          title: 'Everything is up',
          text: `${counted(parts.length, 'part')} running.`,
        }
      : {
          tone: 'warn',
          short: 'Degraded',
          title: 'Running, but degraded',
          text: 'Every part is up, but the server reports a problem.',
        };
  }
  const text = [worst, ...others].map(sentence).join(' ');
  const isBooting = worst.state === 'starting';
  return {
    tone: partTone(worst.state),
    short: isBooting ? 'Starting' : 'Degraded',
    title: isBooting
      ? 'Starting'
      : `${others.length + 1} of ${counted(parts.length, 'part')} not up`,
    text,
  };
}

export function summarize(link: Link | undefined): Summary {
  if (link === undefined)
    return {
      tone: 'none',
      short: 'Connecting',
      title: 'Connecting',
      text: 'Connecting to the server.',
    };
  if (link.kind === 'reached') return summarizeHealth(link.health);
  return { tone: 'bad', short: 'Reconnecting', title: 'Unavailable', text: link.error.message };
}

/** The host outlives the parts that it supervises, so the oldest part shows when the installation started. */
export const startedAtMs = (parts: readonly PartHealth[]): number | null =>
  parts.length === 0 ? null : Math.min(...parts.map((part) => Date.parse(part.since)));
