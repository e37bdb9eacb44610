import { type ChildProcess, spawn } from 'node:child_process'

let isAttached = false

/**
 * Ends a child process when this process ends in any way, `kill -9` included: vitest does not run `exit` handlers of its workers, and a
 * killed process runs none. A shell waits for the end of a pipe that only this process holds open.
 */
export function endWithUs(child: ChildProcess, signal: 'KILL' | 'TERM' = 'KILL'): void {
  // A test process of vitest would otherwise continue when vitest has been killed.
  if (!isAttached) process.once('disconnect', () => process.exit(1))
  isAttached = true
  // In a process group of its own, so that Ctrl-C does not end the shell before it has done its work.
  const guard = spawn('sh', ['-c', 'read _; kill -"$1" "$0"', String(child.pid), signal], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guard.on('error', () => {})
  guard.unref()
  // The number of a process that has ended may be given to another one.
  child.once('exit', () => guard.kill('SIGKILL'))
}
