import type { Attachment, SessionId } from '@ship/protocol';
import { useCallback, useRef, useState } from 'react';
import { loadSessionApi } from '../../../api/load.ts';
import { explain } from '../../../data/use-action.ts';
import { chooseFiles, showRefusal } from '../../attachments/choose.ts';

interface AttachedFile {
  readonly key: number;
  readonly filename: string;
  /** Null while it uploads. */
  readonly stored: Attachment | null;
}

/** Attachments of the next prompt. They upload at once, so that sending does not wait for them. */
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
      showRefusal(`${filename}: ${message}`, remedy);
      remove(key);
    }
  };
  const add = (given: readonly File[]) => {
    for (const { filename, file } of chooseFiles(given, files.length)) {
      const key = nextKey.current++;
      setFiles((before) => [...before, { key, filename, stored: null }]);
      void store(key, filename, file);
    }
  };
  const clear = useCallback(() => setFiles([]), []);
  const listed = files.map(({ key, filename, stored }) => ({
    key,
    filename,
    isImage: stored?.mime.startsWith('image/') === true,
    isBusy: stored === null,
  }));
  return { files, listed, add, remove, clear, setFiles };
}
