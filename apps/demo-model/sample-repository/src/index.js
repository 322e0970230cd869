export * from './format.js';
export * from './pages.js';
export * from './search.js';
