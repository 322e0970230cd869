import { type CommitStyle, DEFAULT_STYLE, readCommitStyle, STYLE_FILES } from '@ship/core';
import type { RepositoryView } from './view.ts';

const SUBJECTS = 60;
const MAX_BYTES = 100_000;

/**
 * Prints the base's newest subjects by people, then the files with rules for commits as of the base: what the agent wrote into
 * its own working tree does not count. Each name and text ends with a NUL.
 */
const READ_STYLE = `base=$1 limit=$2; shift 2
git log --no-merges -n ${SUBJECTS} --format='%an%x09%s' "$base" -- 2>/dev/null |
  grep -avE '^[^\t]*\\[bot\\]|^Ship\tInitial commit$' | cut -f 2- | head -c 20000
printf '\\0'
git ls-tree -z --name-only "$base" -- "$@" 2>/dev/null | while IFS= read -r -d '' file; do
  printf '%s\\0' "$file"
  git cat-file blob "$base:$file" 2>/dev/null | head -c 20000 | tr -d '\\0'
  printf '\\0'
done | head -c "$limit"
exit 0`;

/** The commit style of this repository; the default where it has none yet. */
export async function styleOf(view: RepositoryView, baseSha: string | null): Promise<CommitStyle> {
  if (baseSha === null) return DEFAULT_STYLE;
  const { stdout } = await view.script(READ_STYLE, [baseSha, String(MAX_BYTES), ...STYLE_FILES]);
  const [subjects = '', ...files] = stdout.split('\0');
  const texts: Record<string, string> = {};
  for (let i = 0; i + 1 < files.length; i += 2) texts[files[i] ?? ''] = files[i + 1] ?? '';
  return readCommitStyle({
    subjects: subjects.split('\n').filter((subject) => subject.trim() !== ''),
    texts,
  });
}
