import { totalmem } from 'node:os'

/** The limits of one command, including all processes that it starts. */
export interface CommandLimits {
  /** Memory of all its processes and of its private temporary folders, in MiB. */
  readonly memoryMegabytes: number
  readonly processes: number
  /** The largest single file that it may write, in MiB. */
  readonly fileMegabytes: number
}

const megabyte = 1024 * 1024

/** The limits without a policy. */
export const defaultCommandLimits: CommandLimits = {
  memoryMegabytes: Math.max(2_048, Math.floor(memoryOfMachine() / megabyte / 2)),
  processes: 500,
  fileMegabytes: 4_096,
}

export const commandLimitKeys = ['memoryMegabytes', 'processes', 'fileMegabytes'] as const

/** In a container: its limit, which can be lower than the machine's memory. */
function memoryOfMachine(): number {
  const share = process.constrainedMemory()
  return share > 0 ? Math.min(share, totalmem()) : totalmem()
}
