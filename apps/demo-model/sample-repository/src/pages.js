/** How many pages it takes to show `total` books, `size` on each. */
export function pageCount(total, size) {
  return Math.floor(total / size);
}

/** The books on page `number`, counted from 1; none beyond the last page. */
export function pageOf(books, number, size) {
  const start = (number - 1) * size;
  return books.slice(start, start + size);
}
