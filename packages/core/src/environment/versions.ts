import coerce from 'semver/functions/coerce.js';
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';

/** `major`, `minor`: equal up to that part. `least`: that version or a newer one. `range`: a manifest's range. */
export type VersionRule = 'major' | 'minor' | 'least' | 'range';

/** Whether a version satisfies a request. A request that cannot be parsed, such as `lts/*` or `nightly`, never causes a warning. */
export function fits(found: string, wanted: string, rule: VersionRule): boolean {
  const has = coerce(found);
  if (has === null) return true;
  if (rule === 'range') {
    const range = wanted.replaceAll(',', ' ').replaceAll(/~=\s*/g, '~').replaceAll('==', '=');
    return validRange(range) === null || satisfies(has, range);
  }
  const requested = /^(?:[a-z]+-)?v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/i.exec(wanted.trim());
  if (requested === null) return true;
  const [, major = '0', minor, patch] = requested;
  if (rule === 'least') return satisfies(has, `>=${major}.${minor ?? 0}.${patch ?? 0}`);
  const isSameMinor = rule === 'major' || minor === undefined || has.minor === Number(minor);
  return has.major === Number(major) && isSameMinor;
}
