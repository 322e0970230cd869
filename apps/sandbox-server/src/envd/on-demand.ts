/**
 * Node modules that cost a cold start milliseconds each and that most sandboxes use late or never. A top-level import
 * would load them before the supervisor listens.
 */
export const crypto = () => process.getBuiltinModule('node:crypto');
export const readline = () => process.getBuiltinModule('node:readline');
export const tty = () => process.getBuiltinModule('node:tty');
export const zlib = () => process.getBuiltinModule('node:zlib');
