import { type EditorView, type ShipError, shipError } from '@ship/protocol';

const STEPS = ['download', 'parts', 'start'] as const;
type Step = (typeof STEPS)[number];

const FAILURES: Readonly<Record<Step, { message: string; remedy: string }>> = {
  download: {
    message: 'VS Code could not be downloaded into the sandbox.',
    remedy:
      'Allow registry.npmjs.org for sandboxes in Settings, Network, or use a template that has it at /opt/code-server; then try again.',
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
    return { state, step, since: Number(at) * 1_000 };
  if (state === 'failed' && step !== undefined)
    return { state, error: failureOf(step, logged.join('\n')) };
  return { state: 'off' };
}

function failureOf(step: Step, log: string): ShipError {
  const { message, remedy } = FAILURES[step];
  const reason = log
    .split('\n')
    .findLast((line) => /error|cannot|refused|forbidden/i.test(line) && !/complete log/.test(line))
    ?.slice(0, 200);
  return shipError(
    step === 'start' ? 'setup-failed' : 'unreachable',
    reason === undefined ? message : `${message} It said: ${reason}`,
    remedy,
  );
}
