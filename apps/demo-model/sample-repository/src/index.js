export { authorLine } from './format.js';
export { pageCount, pageOf } from './pages.js';
export { search } from './search.js';
