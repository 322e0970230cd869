/** Python's index of one project, in both of its forms (PEP 503, PEP 691). Pure. */
import { z } from 'zod';

export interface SimpleFile {
  filename: string;
  url: string;
  sha256?: string | undefined;
  requiresPython?: string | undefined;
  /** A reason, or true. */
  yanked?: string | boolean | undefined;
  /** The sha256 of the file's metadata file. */
  metadataSha256?: string | undefined;
}

export const SIMPLE_JSON = 'application/vnd.pypi.simple.v1+json';
export const SIMPLE_HTML = 'application/vnd.pypi.simple.v1+html';

const hashes = z.record(z.string(), z.string()).catch({});
const pageSchema = z.object({
  files: z.array(
    z.looseObject({
      filename: z.string(),
      url: z.string(),
      hashes,
      'requires-python': z.string().nullish().catch(undefined),
      yanked: z.union([z.string(), z.boolean()]).optional().catch(undefined),
      'core-metadata': z.union([z.boolean(), hashes]).optional().catch(undefined),
    }),
  ),
});

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._+!-]{0,250}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const usable = ({ filename, url }: SimpleFile): boolean =>
  FILE_NAME.test(filename) && URL.canParse(url);

export function normalName(name: string): string | undefined {
  if (!/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,200}[A-Za-z0-9])?$/.test(name)) return undefined;
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

export function readSimpleJson(text: string, base: string): SimpleFile[] | undefined {
  let page: z.output<typeof pageSchema> | undefined;
  try {
    page = pageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
  return page?.files
    .map((file): SimpleFile => {
      const metadata = file['core-metadata'];
      return {
        filename: file.filename,
        url: absolute(file.url, base),
        sha256: hashOf(file.hashes['sha256']),
        requiresPython: file['requires-python'] ?? undefined,
        yanked: file.yanked,
        metadataSha256: typeof metadata === 'object' ? hashOf(metadata['sha256']) : undefined,
      };
    })
    .filter(usable);
}

const hashOf = (text: string | undefined): string | undefined => {
  const lower = text?.toLowerCase() ?? '';
  return SHA256.test(lower) ? lower : undefined;
};

function absolute(url: string, base: string): string {
  if (!URL.canParse(url, base)) return '';
  const found = new URL(url, base);
  found.hash = '';
  return found.href;
}

export function readSimpleHtml(text: string, base: string): SimpleFile[] {
  return [...text.matchAll(/<a\s([^>]*)>([^<]*)<\/a>/gi)].flatMap(
    ([, attributes = '', label = '']) => {
      const attribute = (name: string): string | undefined => {
        const found = new RegExp(`(?:^|\\s)${name}(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'))?`, 'i').exec(
          attributes,
        );
        return found === null ? undefined : unescapeHtml(found[1] ?? found[2] ?? '');
      };
      const href = attribute('href') ?? '';
      const metadata = attribute('data-core-metadata') ?? attribute('data-dist-info-metadata');
      const file: SimpleFile = {
        filename: unescapeHtml(label).trim(),
        url: absolute(href, base),
        sha256: hashOf(/#sha256=([0-9a-f]+)/i.exec(href)?.[1]),
        requiresPython: attribute('data-requires-python'),
        yanked: attribute('data-yanked'),
        metadataSha256: hashOf(/^sha256=(.*)$/.exec(metadata ?? '')?.[1]),
      };
      return usable(file) ? [file] : [];
    },
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  amp: '&',
  '#39': "'",
};
const unescapeHtml = (text: string): string =>
  text.replaceAll(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
const escapeHtml = (text: string): string =>
  text.replaceAll(/[<>"&']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Relative to the page, so that they lead to the gateway under any name that a client uses for it. */
const fileUrl = (project: string, { filename, sha256 }: SimpleFile): string =>
  `../../files/${project}/${sha256 ?? 'unhashed'}/${encodeURIComponent(filename)}`;

export function writeSimpleJson(project: string, files: readonly SimpleFile[]): string {
  return JSON.stringify({
    meta: { 'api-version': '1.0' },
    name: project,
    files: files.map((file) => ({
      filename: file.filename,
      url: fileUrl(project, file),
      hashes: file.sha256 === undefined ? {} : { sha256: file.sha256 },
      ...(file.requiresPython !== undefined && { 'requires-python': file.requiresPython }),
      ...(file.yanked !== undefined && { yanked: file.yanked }),
      ...(file.metadataSha256 !== undefined && {
        'core-metadata': { sha256: file.metadataSha256 },
      }),
    })),
  });
}

export function writeSimpleHtml(project: string, files: readonly SimpleFile[]): string {
  const lines = files.map((file) => {
    const hash = file.sha256 === undefined ? '' : `#sha256=${file.sha256}`;
    const attributes = [
      `href="${fileUrl(project, file)}${hash}"`,
      file.requiresPython === undefined
        ? ''
        : `data-requires-python="${escapeHtml(file.requiresPython)}"`,
      file.yanked === undefined || file.yanked === false
        ? ''
        : `data-yanked="${escapeHtml(file.yanked === true ? '' : file.yanked)}"`,
      file.metadataSha256 === undefined ? '' : `data-core-metadata="sha256=${file.metadataSha256}"`,
    ];
    return `<a ${attributes.filter((text) => text !== '').join(' ')}>${escapeHtml(file.filename)}</a><br>`;
  });
  return `<!DOCTYPE html><html><head><meta name="pypi:repository-version" content="1.0"></head><body>\n${lines.join('\n')}\n</body></html>\n`;
}
