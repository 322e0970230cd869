/** The document title with the number of waiting sessions in front, visible in the browser tab. */
let title = 'Ship';
let waiting = 0;

const show = () => {
  const name = title === 'Ship' ? title : `${title} · Ship`;
  document.title = waiting === 0 ? name : `(${waiting}) ${name}`;
};

export function setPageTitle(next: string): void {
  title = next;
  show();
}

export function setWaiting(count: number): void {
  waiting = count;
  show();
}
