import { MAX_ATTACHED_IMAGE_BYTES, MAX_ATTACHMENTS } from '@ship/protocol';
import { toast } from '../../ui/toast-store.ts';

export interface ChosenFile {
  readonly filename: string;
  readonly file: File;
}

export const showRefusal = (title: string, text: string) => toast({ tone: 'bad', title, text });

/** Returns the files that fit a prompt with `count` files; a toast explains each refusal. */
export function chooseFiles(given: readonly File[], count: number): readonly ChosenFile[] {
  const room = MAX_ATTACHMENTS - count;
  if (given.length > room)
    showRefusal(
      `A prompt can have ${MAX_ATTACHMENTS} files at most`,
      'Send the rest with another prompt.',
    );
  return given.slice(0, room).flatMap((file) => {
    const filename = nameOf(file);
    if (file.size <= MAX_ATTACHED_IMAGE_BYTES) return [{ filename, file }];
    showRefusal(`${filename} is too large`, 'Images can have up to 4 MB, text files up to 200 KB.');
    return [];
  });
}

/** Pasted files have no name; other names may contain control characters or be too long. */
function nameOf({ name, type }: File): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, ' ').trim();
  return plain === '' ? `pasted.${type.split('/')[1] ?? 'txt'}` : plain.slice(-200);
}
