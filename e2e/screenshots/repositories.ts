import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SAMPLE_REPOSITORY } from '@ship/demo-model';
import { SETUP_SCRIPT } from './rules.ts';

const SHOP: Readonly<Record<string, string>> = {
  'README.md':
    '# storefront\n\nA storefront without a back end. Run its tests with `node --test`.\n',
  'package.json': `${JSON.stringify({ name: 'storefront', version: '1.0.0', private: true, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'shop.js': `export const products = [
  { name: 'Desk lamp', price: 39.9 },
  { name: 'Oak shelf', price: 129.0 },
  { name: 'Wool blanket', price: 74.5 },
];

export const names = (products) => products.map(({ name }) => name);

export const total = (items) => items.reduce((sum, { price }) => sum + price, 0);

export const formatPrice = (price) => \`\${price.toFixed(2)} €\`;
`,
  'shop.test.js': `import assert from 'node:assert';
import { test } from 'node:test';
import { formatPrice, names, products, total } from './shop.js';

test('every product has a name', () => assert.equal(names(products).length, 3));
test('a cart has a total', () => assert.equal(total(products).toFixed(2), '243.40'));
test('a price has two digits', () => assert.equal(formatPrice(129), '129.00 €'));
`,
  'index.html': `<!doctype html>
<html lang="en">
  <head>
    <title>storefront</title>
    <style>
      body { font: 16px/1.6 system-ui; margin: 3rem auto; max-width: 34rem; padding: 0 1.25rem; color: #222 }
      li { display: flex; justify-content: space-between; padding: .6rem 0; border-bottom: 1px solid #ddd }
      ul { padding: 0; list-style: none }
    </style>
  </head>
  <body>
    <h1>Things for a quiet room</h1>
    <ul id="products"></ul>
    <script type="module">
      import { formatPrice, products } from './shop.js';
      for (const { name, price } of products) {
        const row = document.querySelector('#products').appendChild(document.createElement('li'));
        row.append(name, Object.assign(document.createElement('b'), { textContent: formatPrice(price) }));
      }
    </script>
  </body>
</html>
`,
};

export interface Repositories {
  readonly bookshelf: string;
  /** A second copy: a bug that was fixed in one is still in the other. */
  readonly library: string;
  readonly storefront: string;
  readonly lamps: string;
}

/** Small projects with tests. */
export function makeRepositories(folder: string): Repositories {
  return {
    bookshelf: sample(SAMPLE_REPOSITORY.name),
    library: sample('library'),
    storefront: shop('storefront'),
    lamps: shop('lamps', { [SETUP_SCRIPT.name]: SETUP_SCRIPT.text }),
  };

  function sample(called: string): string {
    const place = join(folder, called);
    cpSync(SAMPLE_REPOSITORY.folder, place, { recursive: true });
    commitAll(place, 'feat: a small bookshelf');
    return place;
  }

  function shop(called: string, more: Readonly<Record<string, string>> = {}): string {
    const place = join(folder, called);
    mkdirSync(place);
    for (const [name, text] of Object.entries({ ...SHOP, ...more }))
      writeFileSync(join(place, name), text);
    commitAll(place, 'feat: a shop window');
    return place;
  }
}

function commitAll(folder: string, message: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: folder,
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('-c', 'commit.gpgsign=false', 'commit', '--quiet', `--message=${message}`);
}
