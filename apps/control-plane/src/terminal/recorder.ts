import { TERMINAL_TAIL_BYTES } from '@ship/protocol';
import { REPOSITORY_FOLDER } from '../session/workshop/git-work.ts';

/** Announces the tail in a terminal's output; its length and `TAIL_MARK_END` follow. Terminals do not show APC strings. */
export const TAIL_MARK = '\u001b_ship-tail;';
export const TAIL_MARK_END = '\u001b\\';
/** The recorder's process name: SIGUSR1 would kill a shell, so it is sent only to a process with this name. */
const RECORDER_NAME = 'ship-terminal';

/**
 * Runs inside the sandbox between E2B's terminal and the shell, and keeps the last part of the output (the tail). On SIGUSR1
 * it replays the tail in order with live output, so that viewers that come and go, or a restart of the control plane, lose
 * and repeat nothing. It never stops reading input: Ctrl-C gets through a flood of output.
 */
const RECORDER = `
import errno, fcntl, os, pty, select, signal, struct, sys, termios, tty
LIMIT = ${TERMINAL_TAIL_BYTES}
def resize(*_):
    try: fcntl.ioctl(inner, termios.TIOCSWINSZ, fcntl.ioctl(0, termios.TIOCGWINSZ, b'\\0' * 8))
    except OSError: pass
for name in ('SHIP_RECORDER', 'SHIP_FOLDER', 'PROMPT_COMMAND', 'SHLVL'): os.environ.pop(name, None)
child, inner = pty.fork()
if child == 0: os.execv('/bin/bash', ['bash', '-i'])
tty.setraw(0)
wake_read, wake_write = os.pipe()
for end in (wake_read, wake_write, 0, 1, inner): os.set_blocking(end, False)
requested = []
signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
signal.signal(signal.SIGWINCH, resize)
signal.signal(signal.SIGUSR1, lambda *_: requested.append(1))
resize()
# Last: the name shows that the signal is now handled.
try: open('/proc/self/comm', 'w').write('${RECORDER_NAME}')
except OSError: pass
tail, out, keys, has_ended, was_cut = bytearray(), b'', b'', False, False
def replay():
    part = bytes(tail[-LIMIT:])
    # Drop the first, partial line: half a colour code or letter would show as garbage.
    if was_cut or len(tail) > LIMIT: part = part[part.find(b'\\n') + 1:]
    if part.rfind(b'\\x1b[?1049h') > part.rfind(b'\\x1b[?1049l'):
        try: os.killpg(os.tcgetpgrp(inner), signal.SIGWINCH)
        except OSError: pass
    return b'\\x1b_ship-tail;%d\\x1b\\\\' % len(part) + part
def read(fd):
    try: return os.read(fd, 65536)
    except BlockingIOError: return None
    except OSError as error:
        if error.errno == errno.EIO: return b''
        raise
def write(fd, data):
    try: return data[os.write(fd, data):]
    except BlockingIOError: return data
while out or not has_ended:
    if requested:
        requested.clear()
        out += replay()
    inputs = [wake_read] + ([] if len(keys) > 65536 else [0]) + ([] if out or has_ended else [inner])
    ready, room, _ = select.select(inputs, ([1] if out else []) + ([inner] if keys and not has_ended else []), [])
    if wake_read in ready: read(wake_read)
    if 0 in ready:
        typed = read(0)
        if typed == b'': break
        keys += typed or b''
    if inner in room:
        try: keys = write(inner, keys)
        except OSError: keys = b''
    if inner in ready:
        data = read(inner)
        if data == b'': has_ended = True
        elif data:
            out = data
            tail += data
            if len(tail) > 2 * LIMIT: del tail[:-LIMIT]; was_cut = True
    if 1 in room:
        try: out = write(1, out)
        except OSError: break
status = os.waitpid(child, 0)[1]
sys.exit(os.waitstatus_to_exitcode(status) & 255)
`;

/**
 * E2B's terminals always run `bash -il`, which runs this before its first prompt and becomes the recorder. Without Python, or
 * when a profile overrides PROMPT_COMMAND, it stays a plain shell and only earlier output is missing.
 */
export const recorderEnvironment = {
  SHIP_FOLDER: REPOSITORY_FOLDER,
  SHIP_RECORDER: RECORDER,
  PROMPT_COMMAND:
    'unset PROMPT_COMMAND; cd "$SHIP_FOLDER" 2>/dev/null; command -v python3 >/dev/null && exec python3 -c "$SHIP_RECORDER"; unset SHIP_RECORDER',
};

/** Succeeds only when the process is a recorder. */
export const askForTail = (pid: number): string =>
  `[ "$(cat /proc/${pid}/comm 2>/dev/null)" = ${RECORDER_NAME} ] && kill -USR1 ${pid}`;
