import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorLine, search } from '../src/index.js';

const books = [
  { title: 'The Sea', author: 'John Banville', year: 2005 },
  { title: 'Ulysses', author: 'James Joyce' },
];

test('search looks at titles and authors', () => {
  assert.deepEqual(search(books, 'sea'), [books[0]]);
  assert.deepEqual(search(books, 'JOYCE'), [books[1]]);
});

test('an empty search finds everything', () => {
  assert.deepEqual(search(books, '  '), books);
});

test('the year is left out where it is not known', () => {
  assert.equal(authorLine(books[0]), 'John Banville: The Sea (2005)');
  assert.equal(authorLine(books[1]), 'James Joyce: Ulysses');
});
