/** Finds the source files of a failing test. Pure. */
import { posix } from 'node:path';

const MAX_RELATED_FILES = 3;
const JS_IMPORT = /(?:from\s+|require\(\s*|import\s+)['"](\.{1,2}\/[^'"]+)['"]/g;
const PYTHON_IMPORT = /^\s*(?:from\s+([\w.]+)\s+import|import\s+([\w.]+))/gm;

/** The files of the repository that a test imports. */
export function importedFiles(testFile: string, source: string, files: string[]): string[] {
  const found = testFile.endsWith('.py')
    ? pythonImports(source, files)
    : javascriptImports(testFile, source, files);
  return [...new Set(found)].slice(0, MAX_RELATED_FILES);
}

function javascriptImports(testFile: string, source: string, files: string[]): string[] {
  return [...source.matchAll(JS_IMPORT)].flatMap((match) => {
    const path = posix.join(posix.dirname(testFile), match[1] ?? '');
    const stem = path.replace(/\.[cm]?[jt]sx?$/, '');
    return files.filter(
      (file) => file === path || new RegExp(`^${escape(stem)}(/index)?\\.[cm]?[jt]sx?$`).test(file),
    );
  });
}

function pythonImports(source: string, files: string[]): string[] {
  return [...source.matchAll(PYTHON_IMPORT)].flatMap((match) => {
    const path = (match[1] ?? match[2] ?? '').replaceAll('.', '/');
    if (path === '') return [];
    return files.filter((file) =>
      ['', 'src/', 'lib/'].some(
        (root) => file === `${root}${path}.py` || file === `${root}${path}/__init__.py`,
      ),
    );
  });
}

/** The functions that the failing test calls; of the whole file when the test is not found in it. */
export function calledNames(source: string, title: string): Set<string> {
  const lines = source.split('\n');
  const start = lines.findIndex(
    (line) =>
      line.includes(`'${title}'`) || line.includes(`"${title}"`) || line.includes(`def ${title}(`),
  );
  const rest = start < 0 ? lines : lines.slice(start + 1);
  const end = rest.findIndex((line) => /^\s*(test|it|describe|def test\w*)\s*[( ]/.test(line));
  const body = (start < 0 || end < 0 ? rest : rest.slice(0, end)).join('\n');
  return new Set([...body.matchAll(/\b([A-Za-z_]\w*)\s*\(/g)].map((match) => match[1] ?? ''));
}

/** Resolves a path of a test's output, which may be absolute or relative to any folder, to a listed file. */
export function listedFile(path: string | null, files: string[]): string | null {
  if (path === null) return null;
  return (
    files.find((file) => path === file || path.endsWith(`/${file}`) || file.endsWith(`/${path}`)) ??
    null
  );
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
