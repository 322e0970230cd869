/** What a word can be. Few: colours that are rare are seen. The order is that of the numbers in marks. */
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

/** By the names that highlight.js gives, https://highlightjs.readthedocs.io/en/stable/css-classes-reference.html */
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
  // What stands in a string to be worked out is code again.
  ['subst', null],
]);

/** Undefined: as what it stands in. */
export function kindOfScope(classes: readonly string[], language: string): Kind | null | undefined {
  const [scope = '', detail] = classes;
  if (scope === 'hljs-title' && detail === 'class_') return 'type';
  // `this` is in every other line.
  if (scope === 'hljs-variable' && detail === 'language_') return null;
  // Whatever stands before a colon, of which some are found and some are not.
  if (scope === 'hljs-attr' && /^(java|type)script$/.test(language)) return null;
  return kindByScope.get(scope.replace(/^hljs-/, ''));
}
