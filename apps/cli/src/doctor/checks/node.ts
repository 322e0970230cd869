import type { Finding } from '../examine.ts';

const MINIMUM_MAJOR = 24;

export function checkNode(version: string): Finding {
  const check = 'Node';
  if (Number(version.split('.')[0]) >= MINIMUM_MAJOR)
    return { check, verdict: 'pass', detail: version };
  const remedy = `Run npm start once: it installs Node ${MINIMUM_MAJOR} into this clone. Or install it yourself.`;
  return { check, verdict: 'fail', detail: `${version} is too old`, remedy };
}
