import { Unplug } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { formatDuration } from '../../ui/duration.ts';
import { useNow } from '../../ui/use-now.ts';
import { nextPollMs } from './link.ts';
import type { LostLink } from './link.ts';
import { useLink } from './use-link.ts';

/** Shown on every page while the server is unreachable, with the remedy and the next retry. */
export function LostBanner() {
  const { data: link, isFetching, refetch } = useLink();
  const isLost = link?.kind === 'lost';
  return (
    <>
      {/* Always rendered: screen readers do not announce a live region that appears with its text. */}
      <p role="status" className="sr-only">
        {isLost ? `${link.error.message} Reconnecting. ${link.error.remedy}` : ''}
      </p>
      {isLost && <Banner link={link} isTrying={isFetching} onTry={() => void refetch()} />}
    </>
  );
}

interface BannerProps {
  readonly link: LostLink;
  readonly isTrying: boolean;
  readonly onTry: () => void;
}

function Banner({ link, isTrying, onTry }: BannerProps) {
  const waitMs = link.triedAtMs + nextPollMs(link) - useNow();
  return (
    <div className="border-b border-line bg-bad-soft">
      <div className="mx-auto flex max-w-[60rem] items-start gap-3 px-4 py-3 sm:items-center sm:px-8">
        <Unplug aria-hidden className="mt-0.5 size-4 shrink-0 text-bad sm:mt-0" />
        <div className="min-w-0 flex-1 text-sm">
          <p className="font-medium text-ink">{link.error.message} Reconnecting…</p>
          <p className="text-muted">{link.error.remedy}</p>
        </div>
        <span aria-hidden className="hidden text-xs text-muted tabular-nums sm:block">
          {isTrying || waitMs < 1000 ? 'Retrying now' : `Next retry in ${formatDuration(waitMs)}`}
        </span>
        <Button onClick={onTry}>Retry now</Button>
      </div>
    </div>
  );
}
