/** The subset of XML in Maven's settings: elements and text. No DTD, so no entity can expand or read another file. Pure. */
export interface XmlElement {
  name: string;
  children: XmlElement[];
  text: string;
}

const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<(\/?)([A-Za-z_][\w:.-]*)(?:\s[^<>]*?)?(\/?)>|([^<]+)/gy;
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
};

/** The root element, or undefined for an invalid document. */
export function parseXml(text: string): XmlElement | undefined {
  const top: XmlElement = { name: '', children: [], text: '' };
  const open = [top];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, data, slash, name, selfClosing, plain] = match;
    end = match.index + whole.length;
    const current = open.at(-1) ?? top;
    if (data !== undefined) current.text += data;
    else if (plain !== undefined) current.text += unescape(plain);
    else if (name === undefined) continue;
    else if (slash === '/') {
      if (current.name !== name || open.length === 1) return undefined;
      open.pop();
    } else {
      const element: XmlElement = { name, children: [], text: '' };
      current.children.push(element);
      if (selfClosing !== '/') open.push(element);
    }
  }
  return end === text.length && open.length === 1 ? top.children[0] : undefined;
}

function unescape(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi,
    (whole, decimal, hex, name) => {
      const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
      if (name !== undefined) return ENTITIES[String(name)] ?? whole;
      return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

export const escapeXml = (text: string): string =>
  text.replaceAll(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);

export function childrenOf(element: XmlElement | undefined, ...path: string[]): XmlElement[] {
  let found = element === undefined ? [] : [element];
  for (const name of path)
    found = found.flatMap(({ children }) => children.filter((child) => child.name === name));
  return found;
}

/** The trimmed text of a child. */
export const textOf = (element: XmlElement, name: string): string | undefined =>
  childrenOf(element, name)[0]?.text.trim();
