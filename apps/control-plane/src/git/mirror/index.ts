export { keepMirror } from './update.ts';
export { mirrorTemplate } from './template.ts';
export { refreshMirror } from './refresh.ts';
