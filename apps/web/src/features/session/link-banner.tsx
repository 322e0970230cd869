import { Button } from '../../ui/button.tsx';
import { ToneGlyph } from '../../ui/tone.tsx';
import type { LinkState } from '../../live/reconnecting-socket.ts';

interface LinkBannerProps {
  readonly link: LinkState;
  readonly onReconnect: () => void;
}

/** Warns while the connection is lost and the view may be out of date. The first connection shows nothing. */
export const LinkBanner = ({ link, onReconnect }: LinkBannerProps) => (
  <div role="status">
    {(link === 'waiting' || link === 'ended') && (
      <div className="flex items-center gap-2.5 border-b border-line bg-warn-soft px-4 py-1.5 text-sm sm:px-6">
        <ToneGlyph tone={link === 'ended' ? 'bad' : 'warn'} />
        <span className="min-w-0 flex-1">
          {link === 'ended'
            ? 'This session was deleted, or this page is out of date. Reload it.'
            : 'The connection was lost. Reconnecting; this view may be out of date.'}
        </span>
        <Button onClick={link === 'ended' ? () => location.reload() : onReconnect}>
          {link === 'ended' ? 'Reload' : 'Reconnect now'}
        </Button>
      </div>
    )}
  </div>
);
