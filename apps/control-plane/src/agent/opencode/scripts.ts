/**
 * Checks the program, since a pid may have been reused. Uses the shell alone: every prompt waits for this, and a program would
 * take longer.
 */
const FIND = `
{ read -r pid; } 2> /dev/null < "$0/pid"
is_agent() {
  local program verb
  [ -n "$pid" ] || return 1
  { IFS= read -r -d '' program && IFS= read -r -d '' verb; } 2> /dev/null < "/proc/$pid/cmdline"
  [ "$program $verb" = 'opencode serve' ]
}`;

/**
 * Ends an agent that runs with another configuration, or that does not answer. A suspended one must be resumed to receive
 * signals.
 */
const STOP = `${FIND}
stop_agent() {
  is_agent || return 0
  kill -TERM "$pid" && kill -CONT "$pid"
  for _ in $(seq 30); do is_agent || return 0; sleep 0.1; done
  kill -KILL "$pid"
}
stop_agent`;

/** `$0` is the agent's folder. */
export const STOP_SCRIPT = STOP;

/** An idle agent takes a tenth of a processor: it is suspended until the next prompt. */
export const REST_SCRIPT = `${FIND}
is_agent && kill -STOP "$pid"`;

/** Prints the version of its configuration, if there is an agent that can be woken. */
export const WAKE_SCRIPT = `${FIND}
is_agent && kill -CONT "$pid" && printf '%s' "$(< "$0/version")"`;

/** Exit codes of the launch script when the agent is not ready. */
export const NOT_READY = { ended: 1, late: 2 } as const;

/**
 * Ends a running agent and starts one that listens, in one command: `$0` is its folder, `$1` the version of its configuration,
 * `$2` its port, `$3` its time limit in seconds. The agent's own log tells when it is ready: its port opens before that, and a
 * request in between is never answered.
 *
 * `tail` gets a polling interval: on an overlay, as homes are, it is not notified and would poll once a second.
 *
 * The process that becomes the agent writes the pid: no crash can come between the start and the note. It does not start in the
 * repository, whose files must not become its configuration.
 */
export const LAUNCH_SCRIPT = `
mkdir -p "$0" && cd "$0" || exit 1
${STOP}
: > "$0/log"
setsid bash -c 'echo "$$" > "$0/pid"; echo "$1" > "$0/version"
exec opencode serve --port "$2" --hostname 127.0.0.1 > "$0/log" 2>&1 < /dev/null' "$0" "$1" "$2" > /dev/null 2>&1 &
agent=$!
exec 3< <(exec timeout "$3" tail -n +1 -s 0.02 -f --pid="$agent" "$0/log" 2> /dev/null)
waiter=$!
if grep -q -m1 'listening on' <&3; then kill "$waiter"; exit 0; fi
kill -0 "$agent" 2> /dev/null && exit ${NOT_READY.late}
exit ${NOT_READY.ended}
`;
