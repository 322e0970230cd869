import { MAX_ATTACHED_IMAGE_BYTES, MAX_ATTACHMENTS } from '@ship/protocol';
import type { Attachment, SessionId } from '@ship/protocol';
import { useCallback, useRef, useState } from 'react';
import { loadSessionApi } from '../../../api/load.ts';
import { explain } from '../../../data/use-action.ts';
import { toast } from '../../../ui/toast-store.ts';

export interface AttachedFile {
  readonly key: number;
  readonly filename: string;
  /** Null while it is on its way. */
  readonly stored: Attachment | null;
}

const refuse = (title: string, text: string) => toast({ tone: 'bad', title, text });

/** Files that the next prompt brings. They are stored at once, so that sending does not have to wait for them. */
export function useAttached(sessionId: SessionId) {
  const [files, setFiles] = useState<readonly AttachedFile[]>([]);
  const nextKey = useRef(1);
  const remove = useCallback(
    (key: number) => setFiles((before) => before.filter((file) => file.key !== key)),
    [],
  );
  const store = async (key: number, filename: string, file: File) => {
    try {
      const stored = await (await loadSessionApi()).attach(sessionId, filename, file);
      setFiles((before) => before.map((one) => (one.key === key ? { ...one, stored } : one)));
    } catch (cause) {
      const { message, remedy } = explain(cause);
      refuse(`${filename}: ${message}`, remedy);
      remove(key);
    }
  };
  const add = (chosen: readonly File[]) => {
    const room = MAX_ATTACHMENTS - files.length;
    if (chosen.length > room)
      refuse(
        `A prompt brings ${MAX_ATTACHMENTS} files at most`,
        'Send some of them with another prompt.',
      );
    for (const file of chosen.slice(0, room)) {
      const filename = nameOf(file);
      if (file.size > MAX_ATTACHED_IMAGE_BYTES) {
        refuse(`${filename} is too large`, 'A picture may have 4 MB, a text 200 KB.');
        continue;
      }
      const key = nextKey.current++;
      setFiles((before) => [...before, { key, filename, stored: null }]);
      void store(key, filename, file);
    }
  };
  const clear = useCallback(() => setFiles([]), []);
  return { files, add, remove, clear, setFiles };
}

/** What is pasted has no name of its own; what has one may have more in it than fits a line. */
function nameOf({ name, type }: File): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, ' ').trim();
  return plain === '' ? `pasted.${type.split('/')[1] ?? 'txt'}` : plain.slice(-200);
}
