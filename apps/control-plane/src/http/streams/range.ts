import { fail } from '@ship/protocol';

export interface Range {
  start: number;
  /** Inclusive. */
  end: number;
}

/** Parses one byte range; undefined for none, and for forms that get the whole file, as HTTP allows. */
export function readRange(header: string | null, sizeBytes: number): Range | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (start > end)
    fail(
      'range-unsatisfiable',
      `The file has ${sizeBytes} bytes, none of them in this range.`,
      'Request a range within its size.',
    );
  return { start, end };
}

/** The bytes of the range; fewer when the stream ends earlier. */
export function sliceStream(
  source: ReadableStream<Uint8Array>,
  { start, end }: Range,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let at = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const part = value.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
        at += value.length;
        if (part.length > 0) controller.enqueue(part);
        if (at > end) {
          await reader.cancel();
          return controller.close();
        }
        if (part.length > 0) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
