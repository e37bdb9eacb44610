/**
 * A seccomp filter for bubblewrap: a classic BPF program that checks each system call of a command. It refuses calls that
 * set the set-user-ID or set-group-ID bit of a file. Such a file would stay in the workspace, and would give anyone who
 * runs it later the rights of its owner.
 *
 * - A call that sets a mode with one of the bits fails with EPERM.
 * - Calls whose mode the filter cannot see, in memory or in a queue, fail with ENOSYS. Programs then use older calls.
 * - Calls with the numbers of another architecture fail with ENOSYS, because the numbers have another meaning there.
 */
export function setIdFilter(arch: string = process.arch): Uint8Array | undefined {
  const machine = machines[arch]
  if (machine === undefined) return undefined
  const program = [
    load(offsets.arch),
    skipUnlessEqual(machine.audit, 1, 0),
    answer(noSuchCall),
    load(offsets.number),
    // System calls of x32, a second set of numbers on x64, have this bit.
    ...(arch === 'x64' ? [skipUnlessAtLeast(0x40000000), answer(noSuchCall)] : []),
    ...machine.unseen.flatMap((number) => [skipUnlessEqual(number), answer(noSuchCall)]),
    ...machine.modes.flatMap(checkMode),
    answer(allowed),
  ]
  return Buffer.concat(program)
}

interface ModeCall {
  readonly number: number
  /** The index of the mode argument. */
  readonly mode: number
  /** The index of the flags argument: the mode matters only if a file is created. */
  readonly flags?: number
}

interface Machine {
  /** The kernel's number of the architecture. */
  readonly audit: number
  /** openat2, io_uring_setup. */
  readonly unseen: readonly number[]
  readonly modes: readonly ModeCall[]
}

const machines: { readonly [arch: string]: Machine } = {
  x64: {
    audit: 0xc000003e,
    unseen: [437, 425],
    modes: [
      { number: 2, mode: 2, flags: 1 }, // open
      { number: 257, mode: 3, flags: 2 }, // openat
      { number: 85, mode: 1 }, // creat
      { number: 90, mode: 1 }, // chmod
      { number: 91, mode: 1 }, // fchmod
      { number: 268, mode: 2 }, // fchmodat
      { number: 452, mode: 2 }, // fchmodat2
      { number: 83, mode: 1 }, // mkdir
      { number: 258, mode: 2 }, // mkdirat
      { number: 133, mode: 1 }, // mknod
      { number: 259, mode: 2 }, // mknodat
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    unseen: [437, 425],
    modes: [
      { number: 56, mode: 3, flags: 2 }, // openat
      { number: 52, mode: 1 }, // fchmod
      { number: 53, mode: 2 }, // fchmodat
      { number: 452, mode: 2 }, // fchmodat2
      { number: 34, mode: 2 }, // mkdirat
      { number: 33, mode: 2 }, // mknodat
    ],
  },
}

// S_ISUID and S_ISGID.
const setIds = 0o6000
// O_CREAT, and the bit of O_TMPFILE that no other flag has. They are the same on both architectures.
const creates = 0o100 | 0o20000000

const allowed = 0x7fff0000
const fails = 0x00050000
const notPermitted = fails | 1
const noSuchCall = fails | 38

/** What the kernel passes to the filter: the call number, the architecture, an address, and six arguments of eight bytes. */
const offsets = { number: 0, arch: 4, argument: (at: number) => 16 + at * 8 }

/** Leaves the call number loaded for the next check. */
function checkMode({ number, mode, flags }: ModeCall): Uint8Array[] {
  const inner = [
    ...(flags === undefined ? [] : [load(offsets.argument(flags)), jump(0x45, creates, 0, 3)]),
    load(offsets.argument(mode)),
    jump(0x45, setIds, 0, 1),
    answer(notPermitted),
    answer(allowed),
  ]
  return [skipUnlessEqual(number, 0, inner.length), ...inner]
}

/** Loads four bytes of the call's data into the accumulator. The mode is in the lower half of its argument. */
function load(offset: number): Uint8Array {
  return instruction(0x20, 0, 0, offset)
}

function answer(value: number): Uint8Array {
  return instruction(0x06, 0, 0, value)
}

/** The number of instructions to skip if the accumulator equals the value, and if not. */
function skipUnlessEqual(value: number, whenEqual = 0, otherwise = 1): Uint8Array {
  return jump(0x15, value, whenEqual, otherwise)
}

function skipUnlessAtLeast(value: number): Uint8Array {
  return jump(0x35, value, 0, 1)
}

function jump(code: number, value: number, whenTrue: number, otherwise: number): Uint8Array {
  return instruction(code, whenTrue, otherwise, value)
}

/** `struct sock_filter`. Both architectures are little-endian. */
function instruction(code: number, whenTrue: number, otherwise: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(whenTrue, 2)
  bytes.writeUInt8(otherwise, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}
