import type { Attachment, SessionId } from '@ship/protocol';
import { FileText } from 'lucide-react';

interface AttachmentsProps {
  readonly sessionId: SessionId;
  readonly attachments: readonly Attachment[];
}

/** The attachments of a prompt: images as thumbnails, other files by name. */
export const Attachments = ({ sessionId, attachments }: AttachmentsProps) => (
  <ul aria-label="Attached files" className="mt-2 flex flex-wrap gap-2">
    {attachments.map(({ name, filename, mime }) => {
      const href = `/api/sessions/${sessionId}/artifacts/${name}`;
      return (
        <li key={name}>
          <a href={href} target="_blank" rel="noreferrer" className="block rounded-lg">
            {mime.startsWith('image/') ? (
              <img
                src={href}
                alt={filename}
                loading="lazy"
                className="h-24 max-w-48 rounded-lg border border-line bg-surface object-cover"
              />
            ) : (
              <span className="inline-flex max-w-56 items-center gap-1.5 rounded-lg border border-line bg-surface px-2.5 py-1.5 text-sm">
                <FileText aria-hidden className="size-3.5 shrink-0 text-muted" />
                <span className="truncate">{filename}</span>
              </span>
            )}
          </a>
        </li>
      );
    })}
  </ul>
);
