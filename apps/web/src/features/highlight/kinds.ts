/** Token kinds. Few, so that colours stand out. Marks refer to them by index. */
export const kinds = [
  'comment',
  'string',
  'keyword',
  'number',
  'title',
  'type',
  'addition',
  'deletion',
] as const;

export type Kind = (typeof kinds)[number];

/** By the scope names of highlight.js, https://highlightjs.readthedocs.io/en/stable/css-classes-reference.html */
const kindByScope: ReadonlyMap<string, Kind | null> = new Map([
  ['comment', 'comment'],
  ['quote', 'comment'],
  ['doctag', 'comment'],
  ['string', 'string'],
  ['regexp', 'string'],
  ['char', 'string'],
  ['code', 'string'],
  ['link', 'string'],
  ['addition', 'addition'],
  ['keyword', 'keyword'],
  ['name', 'keyword'],
  ['meta', 'keyword'],
  ['selector-tag', 'keyword'],
  ['selector-pseudo', 'keyword'],
  ['deletion', 'deletion'],
  ['number', 'number'],
  ['literal', 'number'],
  ['symbol', 'number'],
  ['title', 'title'],
  ['section', 'title'],
  ['attr', 'title'],
  ['attribute', 'title'],
  ['selector-id', 'type'],
  ['selector-class', 'type'],
  ['selector-attr', 'type'],
  ['type', 'type'],
  ['built_in', 'type'],
  ['variable', 'type'],
  ['template-variable', 'type'],
  // An interpolation in a string is code again.
  ['subst', null],
]);

/** Undefined inherits the kind of the enclosing scope. */
export function kindOfScope(classes: readonly string[], language: string): Kind | null | undefined {
  const [scope = '', detail] = classes;
  if (scope === 'hljs-title' && detail === 'class_') return 'type';
  // `this` appears in every other line.
  if (scope === 'hljs-variable' && detail === 'language_') return null;
  // The grammar marks only some of the keys before a colon.
  if (scope === 'hljs-attr' && /^(java|type)script$/.test(language)) return null;
  return kindByScope.get(scope.replace(/^hljs-/, ''));
}
