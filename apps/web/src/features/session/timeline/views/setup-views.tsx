import { PackageCheck, PackageX } from 'lucide-react';
import { formatMs } from '../../../../ui/format.ts';
import { newest } from '../items.ts';
import { Line } from './frame.tsx';
import type { ViewProps } from './frame.tsx';

export function SetupReusedView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'setup.reused') return null;
  const { madeAt, savedMs, layer, baseSha } = event.data;
  return (
    <Line icon={PackageCheck}>
      Setup reused from{' '}
      <time dateTime={new Date(madeAt).toISOString()}>{new Date(madeAt).toLocaleString()}</time>{' '}
      (saved {formatMs(savedMs)})
      {layer !== undefined && (
        <>
          {' · '}
          <code className="font-mono text-xs" title={`${layer}, made from ${baseSha ?? 'unknown'}`}>
            {layer.replace('ship-setup-', '').slice(0, 8)}
          </code>
        </>
      )}
    </Line>
  );
}

export function SetupMissedView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'setup.missed') return null;
  return (
    <Line icon={PackageX}>
      {event.data.reason === 'lost'
        ? 'The saved setup is gone; running setup again.'
        : 'The setup or a lock file changed; running setup again.'}
    </Line>
  );
}
