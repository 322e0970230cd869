/**
 * Runs VS Code (code-server) in the sandbox. Arguments: `$0` is the folder for its state, then version, port, repository, the
 * folder in which the machine may share a copy, and the integrity hash of the package. Idempotent: the holder of the lock does
 * the work, a second call exits. The progress is in `status`, as `STATE STEP SECONDS`.
 *
 * Packages run no scripts while they are installed (`--ignore-scripts`): what those would compile is not needed here (logs go
 * to the console, terminals and file watching come prebuilt), nor is there a compiler. A template may bring code-server along.
 */
export const EDITOR_SCRIPT = `
version=$1; port=$2; repository=$3; shared=$4; integrity=$5
mkdir -p "$0" && cd "$0" || exit 1
exec 9> lock; flock -n 9 || exit 0
say() { echo "$* $(date +%s)" > status.new && mv status.new status; }
# Releases the lock first: a reader of the failure may retry at once.
quit() { exec 9>&-; say failed "$1"; exit 1; }
: > log; rm -rf staging
entry=out/node/entry.js
home=/opt/code-server
for other in "$shared/$version" "$0/$version"; do
  [ -e "$home/$entry" ] || home=$other/node_modules/code-server
done
if [ ! -e "$home/$entry" ]; then
  get() { npm install --ignore-scripts --omit=dev --no-audit --no-fund "$@" >> log 2>&1 < /dev/null; }
  say preparing download
  mkdir staging && echo '{"private":true}' > staging/package.json || quit download
  get --prefix staging "code-server@$version" || quit download
  # A registry may answer with any archive. This one has lock files for everything else.
  node -e 'process.exit(require(process.argv[1]).packages["node_modules/code-server"].integrity === process.argv[2] ? 0 : 1)' \\
    "$PWD/staging/node_modules/.package-lock.json" "$integrity" 2>> log || { rm -rf staging; quit download; }
  say preparing parts
  code=staging/node_modules/code-server/lib/vscode
  # Replaces code-server's install script: the second folder has the language server for JavaScript and TypeScript.
  for part in "$code" "$code/extensions"; do ( cd "$part" && get --prefix . ) || quit parts; done
  # A third of the size, and useless without a separate account.
  rm -rf "$code"/node_modules/@github/copilot* "$code"/node_modules/@microsoft/mxc-sdk "$code"/extensions/copilot
  rm -rf "$version" && mv staging "$version" || quit parts
fi
say preparing start
mkdir -p data/User data/extensions
[ -e data/User/settings.json ] || cat > data/User/settings.json <<'END'
{
  "chat.disableAIFeatures": true,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.layoutControl.enabled": false,
  "window.commandCenter": false,
  "editor.minimap.enabled": false,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "window.autoDetectColorScheme": true,
  "telemetry.telemetryLevel": "off"
}
END
echo 'auth: none' > data/config.yaml
node "$home/$entry" --config data/config.yaml --bind-addr "127.0.0.1:$port" --auth none \\
  --disable-telemetry --disable-update-check --disable-workspace-trust --disable-proxy \\
  --user-data-dir data --extensions-dir data/extensions >> log 2>&1 < /dev/null &
server=$!
for _ in $(seq 300); do
  kill -0 "$server" 2> /dev/null || quit start
  curl -sf -o /dev/null --noproxy '*' "http://127.0.0.1:$port/healthz" && break
  sleep 0.2
done
curl -sf -o /dev/null --noproxy '*' "http://127.0.0.1:$port/healthz" || { kill "$server"; quit start; }
[ -d "$repository" ] || repository=$HOME
say ready "$repository"
wait "$server"
`;

/**
 * Deletes the status of an earlier try, which would otherwise be read as the answer to the next one. Prints `shared` where the
 * copy to start is the machine's, installed or not; `$1` is the version, `$2` the shared folder.
 */
export const FORGET_SCRIPT = `
rm -f "$0/status"
entry=out/node/entry.js
[ -e "/opt/code-server/$entry" ] || [ -e "$0/$1/node_modules/code-server/$entry" ] || [ ! -d "$2" ] || echo shared
`;

/**
 * Opens a file in a window of code-server, which lists the open windows; each listens on its own socket. `$1` is the file,
 * URL-encoded, `$2` the message. Prints `shown` when a window took it.
 */
export const SHOW_SCRIPT = `
cd "$0/data" 2> /dev/null || exit 0
ask() { curl -sf --max-time 3 --noproxy '*' --unix-socket "$@"; }
# A loading window registers late; without code-server, there is nothing to wait for.
for _ in $(seq 20); do
  known=$(ask code-server-ipc.sock "http://localhost/session?filePath=$1") || exit 0
  window=$(sed -n 's/.*"socketPath":"\\([^"]*\\)".*/\\1/p' <<< "$known")
  [ -z "$window" ] || break
  sleep 0.25
done
[ -n "$window" ] && ask "$window" -o /dev/null -H 'content-type: application/json' --data-binary "$2" http://localhost/ && echo shown
exit 0
`;

/** A status counts only while the lock is held; a failure stays until the next try. */
export const STATUS_SCRIPT = `
cd "$0" 2> /dev/null && read -r state rest 2> /dev/null < status || exit 0
if [ "$state" != failed ] && flock -n lock true; then exit 0; fi
echo "$state $rest"
[ "$state" != failed ] || tail -c 600 log
`;
