/**
 * Node modules that cost a cold start milliseconds each and that most sandboxes use late or never. Imported at the top
 * of a file they would be loaded before the supervisor listens.
 */
export const crypto = () => process.getBuiltinModule('node:crypto');
export const readline = () => process.getBuiltinModule('node:readline');
export const tty = () => process.getBuiltinModule('node:tty');
export const zlib = () => process.getBuiltinModule('node:zlib');
