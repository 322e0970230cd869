import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageCount, pageOf } from '../src/pages.js';

const books = ['a', 'b', 'c', 'd', 'e'];

test('full pages are counted', () => {
  assert.equal(pageCount(20, 10), 2);
});

test('a last page that is not full counts too', () => {
  assert.equal(pageCount(21, 10), 3);
});

test('a page holds the books of its place', () => {
  assert.deepEqual(pageOf(books, 1, 2), ['a', 'b']);
  assert.deepEqual(pageOf(books, 3, 2), ['e']);
});

test('there is nothing beyond the last page', () => {
  assert.deepEqual(pageOf(books, 4, 2), []);
});
