import { totalmem } from 'node:os'

/** The most that one command may use, together with everything it starts. */
export interface CommandLimits {
  /** Memory of all its processes and of its private temporary folders, in MiB. */
  readonly memoryMegabytes: number
  readonly processes: number
  /** The largest single file that it may write, in MiB. */
  readonly fileMegabytes: number
}

const megabyte = 1024 * 1024

/** Limits that apply where no policy sets others. */
export const defaultCommandLimits: CommandLimits = {
  memoryMegabytes: Math.max(2_048, Math.floor(memoryOfMachine() / megabyte / 2)),
  processes: 500,
  fileMegabytes: 4_096,
}

export const commandLimitKeys = ['memoryMegabytes', 'processes', 'fileMegabytes'] as const

/** In a container its share, which can be less than the machine has. */
function memoryOfMachine(): number {
  const share = process.constrainedMemory()
  return share > 0 ? Math.min(share, totalmem()) : totalmem()
}
