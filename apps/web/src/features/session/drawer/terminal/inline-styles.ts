/**
 * xterm.js creates <style> elements, which the page's Content-Security-Policy refuses. While `work` runs, this replaces each of
 * them with an element that writes to a constructed style sheet, which scripts may create.
 */
export function withConstructedStyles(work: () => void): void {
  const own = Object.getOwnPropertyDescriptor(document, 'createElement');
  const create = document.createElement.bind(document);
  Object.defineProperty(document, 'createElement', {
    configurable: true,
    writable: true,
    value: (name: string, options?: ElementCreationOptions) =>
      name === 'style' ? sheetElement(create('div')) : create(name, options),
  });
  try {
    work();
  } finally {
    if (own === undefined) Reflect.deleteProperty(document, 'createElement');
    else Object.defineProperty(document, 'createElement', own);
  }
}

function sheetElement(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  element.hidden = true;
  Object.defineProperty(element, 'textContent', {
    get: () => '',
    set(text: string) {
      sheet.replaceSync(text);
    },
  });
  element.remove = () => {
    const { adoptedStyleSheets } = document;
    document.adoptedStyleSheets = adoptedStyleSheets.filter((one) => one !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}
