/**
 * Lock files and generated folders: of the files that tests change, only these count as the tests' and not as a person's work.
 */
const LOCK_FILES =
  'package-lock.json|npm-shrinkwrap.json|yarn.lock|pnpm-lock.yaml|bun.lock|bun.lockb|Cargo.lock|poetry.lock|uv.lock|pdm.lock|Pipfile.lock|Gemfile.lock|composer.lock|go.sum';
const GENERATED = 'dist|build|out|coverage|generated|.cache|__snapshots__';

/**
 * Part of a snapshot: reverts what setup or tests left behind. A file counts as left behind while it is exactly what they made
 * of it; once the agent has changed it, it is work. Expects `leftovers` as `by:tree:tree` words; trees that the sandbox has
 * lost match nothing.
 */
export const LEAVE_BEHIND = `
leave_behind() {
  local -A left=()
  local pair by rest meta path old_mode old_sha new_sha mode sha next hops count=0
  for pair in $leftovers; do
    by=\${pair%%:*} rest=\${pair#*:}
    while IFS= read -r -d '' meta && IFS= read -r -d '' path; do
      if [ "$by" = tests ]; then
        case \${path##*/} in ${LOCK_FILES}) ;; *)
          case /$path in ${GENERATED.split('|')
            .map((name) => `*/${name}/*`)
            .join('|')}) ;; *) continue;; esac;;
        esac
      fi
      read -r old_mode _ old_sha new_sha _ <<< "\${meta#:}"
      left["$new_sha $path"]="$old_mode $old_sha"
    done < <(git diff-tree -r -z --raw --no-renames --no-abbrev "\${rest%%:*}" "\${rest#*:}" 2>/dev/null)
  done
  [ \${#left[@]} -gt 0 ] || return 0
  : > "$GIT_DIR/put-back"; : > "$GIT_DIR/paths-back"
  while IFS= read -r -d '' meta && IFS= read -r -d '' path; do
    read -r _ mode _ sha _ <<< "\${meta#:}"
    hops=0
    while next=\${left["$sha $path"]:-}; [ -n "$next" ] && [ "$hops" -lt 12 ]; do
      mode=\${next% *} sha=\${next#* } hops=$((hops + 1))
    done
    [ "$hops" -gt 0 ] || continue
    count=$((count + 1))
    case $mode in 000000) mode=0;; *) printf '%s\\0' "$path" >> "$GIT_DIR/paths-back";; esac
    printf '%s %s\\t%s\\0' "$mode" "$sha" "$path" >> "$GIT_DIR/put-back"
  done < "$changes"
  [ "$count" -gt 0 ] || return 0
  git update-index -z --index-info < "$GIT_DIR/put-back" || return 1
  if [ -n "$reset" ]; then git checkout-index -f -z --stdin < "$GIT_DIR/paths-back"; fi
  take
}
if [ -n "$leftovers" ]; then leave_behind || exit 4; fi`;
