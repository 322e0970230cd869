import {
  type EditorView,
  type ErrorAction,
  type HostEditor,
  type ShipError,
  openSettings,
  shipError,
} from '@ship/protocol';

const STEPS = ['download', 'parts', 'start'] as const;
type Step = (typeof STEPS)[number];

const FAILURES: Readonly<Record<Step, { message: string; remedy: string; action?: ErrorAction }>> =
  {
    download: {
      message: 'VS Code could not be downloaded into the sandbox.',
      remedy:
        'Allow registry.npmjs.org for sandboxes in Settings, Network, or use a template that has it at /opt/code-server; then try again.',
      action: openSettings('network'),
    },
    parts: {
      message: 'Parts of VS Code could not be downloaded into the sandbox.',
      remedy: 'Try again; what is there already is not downloaded twice.',
    },
    start: {
      message: 'VS Code was installed and does not start.',
      remedy: 'Try again; its output is in ~/.local/share/ship-editor/log in the sandbox.',
    },
  };

/** What the script in the sandbox wrote. Anything else was written by somebody else, and means nothing. */
export function readStatus(output: string, port: number): EditorView {
  const [line = '', ...logged] = output.split('\n');
  const [, state, what = '', at] = /^(preparing|ready|failed) (.+) (\d{1,12})$/.exec(line) ?? [];
  const step = STEPS.find((one) => one === what);
  if (state === 'ready') return { state, port, folder: what };
  if (state === 'preparing' && step !== undefined)
    return { state, step, since: Number(at) * 1_000, where: 'sandbox', megabytes: null };
  if (state === 'failed' && step !== undefined)
    return { state, error: failureOf(step, logged.join('\n')) };
  return { state: 'off' };
}

/** What the host says of the copy that sandboxes share, to whoever waits for the editor. */
export function viewOf(shared: HostEditor): EditorView {
  if (shared.state === 'installing') {
    const { step, since, megabytes } = shared;
    return { state: 'preparing', step, since, where: 'machine', megabytes };
  }
  if (shared.state === 'failed')
    return {
      state: 'failed',
      error: shipError(
        'unreachable',
        `VS Code could not be installed on this machine: ${shared.reason}.`,
        'See that npm reaches its registry from here; more is in logs/editor.log of the data folder. Then try again.',
      ),
    };
  return { state: 'off' };
}

function failureOf(step: Step, log: string): ShipError {
  const { message, remedy, action } = FAILURES[step];
  const reason = log
    .split('\n')
    .findLast((line) => /error|cannot|refused|forbidden/i.test(line) && !/complete log/.test(line))
    ?.slice(0, 200);
  return shipError(
    step === 'start' ? 'setup-failed' : 'unreachable',
    reason === undefined ? message : `${message} It said: ${reason}`,
    remedy,
    action,
  );
}
