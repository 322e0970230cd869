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
      remedy: 'Try again; finished parts are not downloaded twice.',
    },
    start: {
      message: 'VS Code was installed but does not start.',
      remedy: 'Try again; its output is in ~/.local/share/ship-editor/log in the sandbox.',
    },
  };

/** Parses the script's status. Any other content was not written by the script, and is ignored. */
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

/** The state of the shared copy on the host, as the editor's view. */
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
        'Check that npm reaches its registry from this machine (details: logs/editor.log in the data folder), then try again.',
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
