/** In every protocol message content is a string or a list of parts. */
import { z } from 'zod';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
export const content = z.union([z.string(), z.array(part)]);
export type Content = z.infer<typeof content>;

export function textOf(value: Content | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return value
    .map((item) => item.text ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

/** Counts images and files: every part that is not text is an attachment. */
export function attachmentsOf(value: Content | null | undefined): number {
  if (value === null || value === undefined || typeof value === 'string') return 0;
  return value.filter((item) => !/text/.test(item.type)).length;
}
