import { Refusal } from '../lifecycle/errors.ts';
import type { SandboxNetwork } from '../store/records.ts';
import { parseRule, type Rule, type SandboxPolicy } from './policy.ts';

function parseRules(texts: readonly string[], field: string): Rule[] {
  return texts.map((text) => {
    const rule = parseRule(text);
    if (rule === undefined) {
      throw new Refusal(
        400,
        `network.${field} has an invalid entry: ${JSON.stringify(text.slice(0, 100))}.`,
        'Use an address, a block such as 10.0.0.0/8, a host name, *.example.com, or HOST=private for a host of your own network.',
      );
    }
    return rule;
  });
}

/** Converts E2B's network fields to rules; refuses what cannot be enforced instead of ignoring it. */
export function sandboxPolicy(
  network: SandboxNetwork | undefined,
  allowInternetAccess: boolean | undefined,
): SandboxPolicy {
  const denyOut = parseRules(network?.denyOut ?? [], 'denyOut');
  if (
    denyOut.some(
      (rule) => rule.kind === 'name' || rule.kind === 'suffix' || rule.kind === 'private',
    )
  ) {
    throw new Refusal(
      400,
      'network.denyOut accepts only addresses and blocks, not host names.',
      'Deny everything with 0.0.0.0/0 and list the allowed hosts in allowOut.',
    );
  }
  return {
    allowOut: parseRules(network?.allowOut ?? [], 'allowOut'),
    denyOut,
    internet: allowInternetAccess ?? true,
  };
}
