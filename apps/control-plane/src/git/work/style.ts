import { type CommitStyle, DEFAULT_STYLE, readCommitStyle, STYLE_FILES } from '@ship/core';

const SUBJECTS = 60;
const MAX_BYTES = 100_000;

/**
 * A function of the snapshot's script. It prints the base's newest subjects by people, then the files that have rules for
 * commits, as the base has them: the agent's own working tree must not decide how its commits are named. Each name and text
 * ends with a NUL.
 */
export const READ_STYLE = `read_style() {
  git log --no-merges -n ${SUBJECTS} --format='%an%x09%s' "$1" -- 2>/dev/null |
    grep -avE '^[^\t]*\\[bot\\]|^Ship\tInitial commit$' | cut -f 2- | head -c 20000
  printf '\\0'
  git ls-tree -z --name-only "$1" -- ${STYLE_FILES.map((file) => `'${file}'`).join(' ')} 2>/dev/null |
    while IFS= read -r -d '' file; do
      printf '%s\\0' "$file"
      git cat-file blob "$1:$file" 2>/dev/null | head -c 20000 | tr -d '\\0'
      printf '\\0'
    done | head -c ${MAX_BYTES}
}`;

/** Parses the output of `READ_STYLE`, split at its NULs; the default style where it did not run, or found nothing. */
export function parseStyle([subjects, ...files]: readonly string[]): CommitStyle {
  if (subjects === undefined) return DEFAULT_STYLE;
  const texts: Record<string, string> = {};
  for (let i = 0; i + 1 < files.length; i += 2) texts[files[i] ?? ''] = files[i + 1] ?? '';
  return readCommitStyle({
    subjects: subjects.split('\n').filter((subject) => subject.trim() !== ''),
    texts,
  });
}
