import type { FileDiff } from '@ship/protocol';
import { ChangedLines } from '../../../sessions/session-facts.tsx';

const statusLabels: Readonly<Record<FileDiff['status'], string>> = {
  added: 'added',
  modified: '',
  deleted: 'deleted',
  renamed: 'renamed',
  copied: 'copied',
  'type-changed': 'type changed',
};

/** A file's path, previous path and number of changed lines. */
export const FileName = ({ file }: { readonly file: FileDiff }) => {
  const { path, previousPath, status, additions, deletions } = file;
  return (
    <>
      <span className="min-w-0 flex-1 font-mono text-xs break-all">
        {previousPath !== null && previousPath !== path && (
          <span className="text-muted">{previousPath} → </span>
        )}
        {path}
      </span>
      <span className="text-xs text-muted">{statusLabels[status]}</span>
      {additions + deletions > 0 && <ChangedLines additions={additions} deletions={deletions} />}
    </>
  );
};
