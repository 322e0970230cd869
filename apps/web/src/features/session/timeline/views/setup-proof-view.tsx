import { ShieldCheck, ShieldX } from 'lucide-react';
import { formatMs } from '../../../../ui/format.ts';
import { newest } from '../items.ts';
import { Line } from './frame.tsx';
import type { ViewProps } from './frame.tsx';

interface RunProps {
  readonly command: string;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly link: string | null;
}

const Run = ({ command, exitCode, durationMs, link }: RunProps) => (
  <>
    <code className="font-mono text-xs">{command}</code>{' '}
    {exitCode === 0 ? 'passed' : `ended with exit code ${exitCode ?? '–'}`} in{' '}
    {formatMs(durationMs)}
    {link !== null && (
      <>
        {' ('}
        <a href={link} target="_blank" rel="noreferrer" className="underline">
          output
        </a>
        )
      </>
    )}
  </>
);

/** The result of running the turn's setup in a clean sandbox. */
export function SetupProofView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'setup.proved') return null;
  const { setup, verify } = event.data;
  const isGood = setup.exitCode === 0 && (verify === null || verify.verdict === 'passed');
  return (
    <Line icon={isGood ? ShieldCheck : ShieldX}>
      In a clean sandbox: <Run {...setup} />
      {verify !== null && (
        <>
          {', '}
          <Run {...verify} />
        </>
      )}
    </Line>
  );
}
