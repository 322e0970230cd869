import { VARIABLES, type Variable, exportedName } from '../../deploy/variables.ts';
import type { Finding } from '../examine.ts';

/** Values by the name that the Worker reads. */
export type Values = ReadonlyMap<string, string>;

const SETTABLE = VARIABLES.filter(({ kind }) => kind === 'variable' || kind === 'secret');

/** One finding for each variable that a person sets: whether it is set, its format, and what works without it. */
export function checkFormats(values: Values): Finding[] {
  const hasModel = SETTABLE.some(({ needed, name }) => needed === 'model' && values.has(name));
  return SETTABLE.map((variable) => {
    const { needed: _, ...unneeded } = variable;
    const isReplaced = values.has(variable.alternative ?? '');
    return checkFormat(isReplaced ? unneeded : variable, values.get(variable.name), hasModel);
  });
}

/** Values with the right format; the others are not sent to any service. */
export function wellFormed(values: Values): Values {
  const isBad = ({ name, pattern }: Variable) => pattern?.test(values.get(name) ?? '') === false;
  const bad = new Set(SETTABLE.filter(isBad).map(({ name }) => name));
  return new Map([...values].filter(([name]) => !bad.has(name)));
}

function checkFormat(variable: Variable, value: string | undefined, hasModel: boolean): Finding {
  const check = exportedName(variable);
  const { pattern, shape = '', without = '', remedy = '', needed, generatedBytes } = variable;
  if (value !== undefined) {
    if (pattern?.test(value) !== false) return { check, verdict: 'pass', detail: 'set' };
    const detail = `has the wrong format: it must be ${shape}`;
    return { check, verdict: 'fail', detail, remedy: remedy || `Set it to ${shape}.` };
  }
  if (generatedBytes !== undefined)
    return { check, verdict: 'pass', detail: 'not set: ship deploy generates it once' };
  const detail = `not set. ${without || 'ship deploy sets it.'}`;
  if (needed === 'always' || (needed === 'model' && !hasModel))
    return { check, verdict: 'fail', detail, remedy };
  return { check, verdict: 'pass', detail };
}
