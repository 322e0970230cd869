import { Link } from '@tanstack/react-router';
import { ToneGlyph } from '../../ui/tone.tsx';
import { summarize } from './summary.ts';
import { useLink } from './use-link.ts';

export function ConnectionIndicator() {
  const { tone, short } = summarize(useLink().data);
  return (
    <Link
      to="/system"
      aria-label={`${short}. Show system status`}
      className="flex h-9 items-center gap-2 rounded-md px-2 text-sm text-muted transition-colors hover:bg-hover hover:text-ink md:h-8"
    >
      <ToneGlyph tone={tone} />
      <span className="max-[26rem]:sr-only">{short}</span>
    </Link>
  );
}
