/** File content that is safe to show, without running any of it. */
export type Content =
  | { readonly kind: 'text'; readonly text: string; readonly isWhole: boolean }
  | { readonly kind: 'image'; readonly blob: Blob }
  | { readonly kind: 'other' };

/** Longer texts are truncated. */
export const maxTextBytes = 256 * 1024;
/** Larger images are not shown. */
export const maxImageBytes = 10 * 1024 * 1024;

/** As an <img>, none of these can run code, not even an SVG. */
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

/** How many bytes of the file to read. */
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
    // A truncated text may end in half a character: `stream` holds it back.
    const decoder = new TextDecoder('utf-8', { fatal: true });
    return { kind: 'text', text: decoder.decode(bytes, { stream: !isWhole }), isWhole };
  } catch {
    return { kind: 'other' };
  }
}
