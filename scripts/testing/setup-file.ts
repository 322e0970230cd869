/** Runs in the worker before each test file that starts processes. */
import { workOffEndOfFile } from './end-of-file.ts';

workOffEndOfFile();
