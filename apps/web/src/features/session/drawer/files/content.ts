/** What can be shown of a file without running any of it. */
export type Content =
  | { readonly kind: 'text'; readonly text: string; readonly isWhole: boolean }
  | { readonly kind: 'image'; readonly blob: Blob }
  | { readonly kind: 'other' };

/** So much of a text is shown. */
export const maxTextBytes = 256 * 1024;
/** A picture is shown whole or not at all. */
export const maxImageBytes = 10 * 1024 * 1024;

/** As an <img>, nothing of these can run, not even an SVG. */
const images: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  svg: 'image/svg+xml',
};

export function imageType(name: string): string | undefined {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(images, extension) ? images[extension] : undefined;
}

/** How much of it has to be read. */
export const bytesToRead = (name: string): number =>
  imageType(name) === undefined ? maxTextBytes : maxImageBytes;

export async function contentOf(name: string, sizeBytes: number, read: Blob): Promise<Content> {
  const type = imageType(name);
  if (type !== undefined && sizeBytes <= maxImageBytes)
    return { kind: 'image', blob: new Blob([read], { type }) };
  const bytes = new Uint8Array(await read.slice(0, maxTextBytes).arrayBuffer());
  if (bytes.includes(0)) return { kind: 'other' };
  const isWhole = sizeBytes <= bytes.length;
  try {
    // Of a text that goes on, the last letter may be cut: `stream` keeps its half back.
    const decoder = new TextDecoder('utf-8', { fatal: true });
    return { kind: 'text', text: decoder.decode(bytes, { stream: !isWhole }), isWhole };
  } catch {
    return { kind: 'other' };
  }
}
