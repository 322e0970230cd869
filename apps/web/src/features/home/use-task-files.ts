import { useRef, useState } from 'react';
import type { ChosenFile } from '../attachments/choose.ts';

interface TaskFile extends ChosenFile {
  readonly key: number;
}

/** Files for the first prompt. They stay in the page until the session exists. */
export function useTaskFiles() {
  const [files, setFiles] = useState<readonly TaskFile[]>([]);
  const nextKey = useRef(1);
  const add = async (given: readonly File[]) => {
    const { chooseFiles } = await import('../attachments/choose.ts');
    const added = chooseFiles(given, files.length).map((file) => ({
      ...file,
      key: nextKey.current++,
    }));
    setFiles((before) => [...before, ...added]);
  };
  return {
    files,
    listed: files.map(({ key, filename, file }) => ({
      key,
      filename,
      isImage: file.type.startsWith('image/'),
      isBusy: false,
    })),
    add: (given: readonly File[]) => void add(given),
    remove: (key: number) => setFiles((before) => before.filter((file) => file.key !== key)),
    clear: () => setFiles([]),
  };
}
