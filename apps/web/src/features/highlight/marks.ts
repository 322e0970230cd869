import type { Root, RootContent } from 'hast';
import { type Kind, kindOfScope, kinds } from './kinds.ts';

/** Three numbers for each highlighted range: start, end and the index of its kind. */
export type Marks = Uint32Array<ArrayBuffer>;

/** The innermost scope wins. */
export function marksOf({ children, data }: Root): Marks {
  const marks: number[] = [];
  let at = 0;
  const walk = (node: RootContent, around: Kind | null, language: string): void => {
    if (node.type === 'text') {
      const start = at;
      at += node.value.length;
      if (around !== null && at > start) marks.push(start, at, kinds.indexOf(around));
    } else if (node.type === 'element') {
      const { className } = node.properties;
      const classes = Array.isArray(className) ? className.map(String) : [];
      const inner = /^language-(.+)/.exec(classes[0] ?? '')?.[1] ?? language;
      const own = kindOfScope(classes, inner);
      // The JSON grammar marks `null` as a literal and, within it, as a keyword.
      const isNamedTwice = own === 'keyword' && around === 'number';
      for (const child of node.children)
        walk(child, own === undefined || isNamedTwice ? around : own, inner);
    }
  };
  for (const node of children) walk(node, null, data?.language ?? '');
  return Uint32Array.from(marks);
}
