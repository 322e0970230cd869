/** The books whose title or author contains the words, in any case. */
export function search(books, words) {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return books;
  return books.filter(
    (book) =>
      book.title.toLowerCase().includes(wanted) || book.author.toLowerCase().includes(wanted),
  );
}
