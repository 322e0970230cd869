/**
 * `$0` is the agent's folder. The pid is written by the process that becomes the agent: no crash of ours can come between
 * its start and the note. It does not start in the repository: what lies there must not become its configuration.
 */
export const LAUNCH_SCRIPT = `
mkdir -p "$0" && cd "$0" || exit 1
echo "$$" > "$0/pid"; echo "$1" > "$0/version"
exec opencode serve --port "$2" --hostname 127.0.0.1 > "$0/log" 2>&1 < /dev/null
`;

/** Ends an agent that runs with another configuration, or that does not answer. A pid may have gone to another program. */
export const STOP_SCRIPT = `
pid=$(cat "$0/pid" 2>/dev/null) || exit 0
is_agent() { tr '\\0' ' ' < "/proc/$pid/cmdline" 2>/dev/null | grep -q '^opencode serve'; }
is_agent || exit 0
kill -TERM "$pid"
for _ in $(seq 30); do is_agent || exit 0; sleep 0.1; done
kill -KILL "$pid"
`;
