/**
 * A tiny assembler for classic BPF, the language of seccomp filters: eight bytes an instruction, jumps only forwards.
 * https://www.kernel.org/doc/Documentation/networking/filter.txt
 */
const LOAD_WORD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_OR_EQUAL = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

export const ALLOW = 0x7fff0000;
export const KILL_PROCESS = 0x80000000;
export const failWith = (errno: number): number => 0x00050000 | errno;

/** Offsets into `struct seccomp_data`. Arguments are 64 bits wide, the low word first on both architectures. */
export const OFFSET_NUMBER = 0;
export const OFFSET_ARCHITECTURE = 4;
export const offsetOfArgument = (index: number): number => 16 + index * 8;

export interface Instruction {
  code: number;
  jumpTrue: number;
  jumpFalse: number;
  value: number;
}

const plain = (code: number, value: number): Instruction => ({
  code,
  jumpTrue: 0,
  jumpFalse: 0,
  value,
});

export const load = (offset: number): Instruction => plain(LOAD_WORD, offset);
export const and = (mask: number): Instruction => plain(AND, mask);
export const ret = (action: number): Instruction => plain(RETURN, action);

type Condition = 'equal' | 'greater-or-equal' | 'any-bit';
const CONDITION_CODE: Record<Condition, number> = {
  equal: JUMP_EQUAL,
  'greater-or-equal': JUMP_GREATER_OR_EQUAL,
  'any-bit': JUMP_ANY_BIT,
};

/** Runs `body` only if the condition holds for the loaded word; otherwise skips it. */
export function when(condition: Condition, value: number, body: Instruction[]): Instruction[] {
  if (body.length > 255) throw new RangeError('a BPF jump reaches 255 instructions at most');
  return [{ code: CONDITION_CODE[condition], jumpTrue: 0, jumpFalse: body.length, value }, ...body];
}

/** Runs `body` unless the loaded word is one of `values`. */
export function unlessOneOf(values: readonly number[], body: Instruction[]): Instruction[] {
  const reach = values.length - 1 + body.length;
  if (reach > 255) throw new RangeError('a BPF jump reaches 255 instructions at most');
  const tests = values.map((value, index) => ({
    code: JUMP_EQUAL,
    jumpTrue: reach - index,
    jumpFalse: 0,
    value,
  }));
  return [...tests, ...body];
}

/** The bytes of `struct sock_filter[]`, as `bwrap --seccomp FD` reads them. */
export function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach((instruction, index) => {
    const at = index * 8;
    bytes.writeUInt16LE(instruction.code, at);
    bytes.writeUInt8(instruction.jumpTrue, at + 2);
    bytes.writeUInt8(instruction.jumpFalse, at + 3);
    bytes.writeUInt32LE(instruction.value >>> 0, at + 4);
  });
  return bytes;
}
