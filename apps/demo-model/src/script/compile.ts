import type { z } from 'zod';
import { general } from '../builtin/general/index.ts';
import { DEFAULT_MODELS } from '../builtin/models.ts';
import type { scriptSchema } from './schema.ts';
import type { Rule, Script } from './script.ts';
import { runSteps } from './steps.ts';

type ParsedScript = z.output<typeof scriptSchema>;
type ParsedRule = ParsedScript['rules'][number];

export function compileScript(file: ParsedScript): Script {
  return {
    name: file.name,
    models:
      file.models?.map((model) => ({ ...model, name: model.name ?? model.id })) ?? DEFAULT_MODELS,
    timing: file.timing,
    rules: [...file.rules.map(compileRule), ...(file.otherwise === 'general' ? [generalRule] : [])],
  };
}

const generalRule: Rule = {
  name: 'general',
  kind: 'turn',
  matches: () => [],
  run: general,
  afterCompaction: 'restart',
  timing: {},
};

/** The server's default script. */
export const generalScript: Script = {
  name: 'general',
  models: DEFAULT_MODELS,
  timing: {},
  rules: [generalRule],
};

function compileRule(rule: ParsedRule): Rule {
  const { prompt, model, kind } = rule.when;
  return {
    name: rule.name,
    kind,
    matches(text, requested) {
      if (model !== undefined && model !== requested) return null;
      if (prompt === undefined) return [];
      const found = prompt.exec(text);
      return found === null ? null : [...found].map((capture) => capture ?? '');
    },
    run: rule.run ?? runSteps(rule.steps ?? []),
    afterCompaction: rule.steps === undefined ? 'restart' : 'continue',
    timing: rule.timing,
  };
}
