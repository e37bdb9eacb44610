import { readdirSync, readFileSync } from 'node:fs'

/** The processes of language servers that a process has started and that have not ended. */
export function serversOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isServerOf(parent, pid))
}

function isServerOf(parent: number, pid: number): boolean {
  try {
    const [, state, above] = /\) (\S) (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return (
      Number(above) === parent &&
      state !== 'Z' &&
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('copilot-language-server')
    )
  } catch {
    return false
  }
}
