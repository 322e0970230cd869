import { TERMINAL_TAIL_BYTES } from '@ship/protocol';
import { REPOSITORY_FOLDER } from '../session/workshop/git-work.ts';

/** Announces the tail in a terminal's output; its length and `END` follow. An APC string: a terminal shows none. */
export const TAIL_MARK = '\u001b_ship-tail;';
export const TAIL_MARK_END = '\u001b\\';
/** What the recorder calls itself, so that it is not taken for a shell, which the signal would end. */
const RECORDER_NAME = 'ship-terminal';

/**
 * Sits between E2B's terminal and the shell, inside the sandbox, and keeps the last part of what was shown. On SIGUSR1 it
 * says it again, in order with the rest, so that nothing is missing and nothing doubled however the viewers come and go,
 * and whatever happens to the control plane. It never stops reading the keyboard: Ctrl-C gets through a flood.
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
asked = []
signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
signal.signal(signal.SIGWINCH, resize)
signal.signal(signal.SIGUSR1, lambda *_: asked.append(1))
resize()
# Last: from now on the signal is understood.
try: open('/proc/self/comm', 'w').write('${RECORDER_NAME}')
except OSError: pass
tail, out, keys, has_ended, was_cut = bytearray(), b'', b'', False, False
def replay():
    part = bytes(tail[-LIMIT:])
    # A line, a colour or a letter that was cut in half would be shown as rubbish.
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
    if asked:
        asked.clear()
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
 * E2B's terminals always run `bash -il`. It runs this before its first prompt and becomes the recorder; where there is
 * no Python, or a profile says otherwise, it stays what it is, and only the past is missing.
 */
export const recorderEnvironment = {
  SHIP_FOLDER: REPOSITORY_FOLDER,
  SHIP_RECORDER: RECORDER,
  PROMPT_COMMAND:
    'unset PROMPT_COMMAND; cd "$SHIP_FOLDER" 2>/dev/null; command -v python3 >/dev/null && exec python3 -c "$SHIP_RECORDER"; unset SHIP_RECORDER',
};

/** Succeeds where there is a recorder to ask. */
export const askForTail = (pid: number): string =>
  `[ "$(cat /proc/${pid}/comm 2>/dev/null)" = ${RECORDER_NAME} ] && kill -USR1 ${pid}`;
