import type { ChildProcess } from 'node:child_process'

/** Sends a signal to a process and, where it was started as the leader of a group, to all it has started. */
export function signalGroup(child: ChildProcess, how: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(how)
    else process.kill(-child.pid, how)
  } catch {
    // It has ended by itself in the meantime.
  }
}
