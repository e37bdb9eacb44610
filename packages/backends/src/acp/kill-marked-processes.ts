import { readdirSync, readFileSync } from 'node:fs'

/** The variable that marks a program and every process that it starts. */
export const markVariable = 'CADRE_ACP_PROGRAM'

/**
 * Ends every process with this mark, including processes that left the process group of their program. Only Linux shows the
 * environment of other processes; elsewhere, ending the process group has to be enough.
 */
export function killMarkedProcesses(mark: string): void {
  if (process.platform !== 'linux') return
  const wanted = `${markVariable}=${mark}`
  // A process can start another one while this function reads the list.
  for (let pass = 0; pass < 3; pass++) {
    const found = marked(wanted)
    if (found.length === 0) return
    for (const pid of found) kill(pid)
  }
}

function marked(wanted: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) return []
    try {
      return readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(wanted) ? [pid] : []
    } catch {
      // It belongs to another user, or has just ended.
      return []
    }
  })
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}
