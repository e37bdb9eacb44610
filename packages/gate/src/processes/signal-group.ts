import type { ChildProcess } from 'node:child_process'

/** Sends a signal to a process and, if it leads a group, to everything it has started. */
export function signalGroup(child: ChildProcess, how: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(how)
    else process.kill(-child.pid, how)
  } catch {
    // It has already exited.
  }
}
