/** "Ursula K. Le Guin: The Dispossessed (1974)" */
export function authorLine(book) {
  const year = book.year === undefined ? '' : ` (${book.year})`;
  return `${book.author}: ${book.title}${year}`;
}
