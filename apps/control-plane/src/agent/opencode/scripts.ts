/** A pid may have gone to another program. By the shell alone: this is on the way of every prompt, and a program takes longer. */
const FIND = `
{ read -r pid; } 2> /dev/null < "$0/pid"
is_agent() {
  local program verb
  [ -n "$pid" ] || return 1
  { IFS= read -r -d '' program && IFS= read -r -d '' verb; } 2> /dev/null < "/proc/$pid/cmdline"
  [ "$program $verb" = 'opencode serve' ]
}`;

/** Ends an agent that runs with another configuration, or that does not answer. One that rests hears nothing. */
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

/** An agent that nobody talks to takes a tenth of a processor: it is halted until somebody does. */
export const REST_SCRIPT = `${FIND}
is_agent && kill -STOP "$pid"`;

/** Prints the version of its configuration, if there is one that can be woken. */
export const WAKE_SCRIPT = `${FIND}
is_agent && kill -CONT "$pid" && printf '%s' "$(< "$0/version")"`;

/** How the launch script ends when the agent is not ready. */
export const NOT_READY = { ended: 1, late: 2 } as const;

/**
 * One command from an agent that must go to one that listens: `$0` is its folder, `$1` the version of its configuration,
 * `$2` its port, `$3` the seconds that it has. Ready is what it says itself: its port opens before that, and a question
 * asked in between is never answered.
 *
 * `tail` is told how often to look: on an overlay, as homes are, it is not notified and would look once a second.
 *
 * The pid is written by the process that becomes the agent: no crash of ours can come between its start and the note. It
 * does not start in the repository: what lies there must not become its configuration.
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
