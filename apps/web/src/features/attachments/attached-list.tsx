import { FileText, Image, X } from 'lucide-react';

interface ListedFile {
  readonly key: number;
  readonly filename: string;
  readonly isImage: boolean;
  /** Still uploading. */
  readonly isBusy: boolean;
}

interface AttachedListProps {
  readonly files: readonly ListedFile[];
  readonly onRemove: (key: number) => void;
}

export const AttachedList = ({ files, onRemove }: AttachedListProps) =>
  files.length === 0 ? null : (
    <ul aria-label="Attached files" className="flex flex-wrap gap-1.5 px-1 pt-1">
      {files.map(({ key, filename, isImage, isBusy }) => {
        const Icon = isImage ? Image : FileText;
        return (
          <li
            key={key}
            aria-busy={isBusy}
            className="flex max-w-56 items-center gap-1.5 rounded-md border border-line bg-canvas pl-2 text-sm aria-busy:animate-breathe"
          >
            <Icon aria-hidden className="size-3.5 shrink-0 text-muted" />
            <span className="truncate" title={filename}>
              {filename}
            </span>
            <button
              type="button"
              aria-label={`Remove ${filename}`}
              onClick={() => onRemove(key)}
              className="grid size-7 shrink-0 place-items-center rounded text-faint hover:text-ink"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          </li>
        );
      })}
    </ul>
  );
