export { keepMirror } from './keep.ts';
export { mirrorTemplate } from './place.ts';
export { refreshMirror } from './refresh.ts';
