import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readlinkSync } from 'node:fs'
import { onTestFailed, onTestFinished } from 'vitest'
import { bin } from './cadre.ts'
import { recordOwnHome } from './own-home.ts'
import type { Project } from './project.ts'

// `script` of util-linux runs a command in a new terminal; other systems have a different program with that name.
export const hasScript = /util-linux/.test(
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '',
)

export interface Terminal {
  screen(): string
  type(keys: string): void
  until(holds: (screen: string) => boolean): Promise<void>
  /** Like `until`, for output since the last input. */
  answers(holds: (screen: string) => boolean): Promise<void>
  ended(): Promise<number | null>
  /** Resizes the terminal, as its window would. */
  resize(columns: number, rows: number): Promise<void>
  /** The pid of the command itself, not of the terminal. */
  pid(): number
}

/** Runs the built command in a new terminal. */
export function openTerminal(
  project: Project,
  args: readonly string[],
  {
    columns = 70,
    rows = 12,
    env: more = {},
    isForeign = false,
  }: { columns?: number; rows?: number; env?: Record<string, string>; isForeign?: boolean } = {},
): Terminal {
  const env = {
    PATH: process.env['PATH'],
    HOME: project.path,
    USER: 'tester',
    TERM: 'xterm-256color',
    ...more,
  }
  if (!isForeign) recordOwnHome({ cwd: project.path, env, args })
  const command = [process.execPath, bin, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', `stty cols ${columns} rows ${rows}; exec ${command}`, '/dev/null'], {
    cwd: project.path,
    env,
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  const pid = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim())
  // Killing only `script` would hang up the command, which would keep writing while the project is deleted.
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const command = pid()
    if (command > 0) process.kill(command, 'SIGKILL')
    else child.kill('SIGKILL')
    await closed
  })
  let screen = ''
  const watchers = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text
    for (const look of watchers) look()
  })
  onTestFailed(
    () => void process.stderr.write(`The end of the screen: ${JSON.stringify(screen.slice(-2000))}\n`),
  )
  let typedAt = 0
  const until = (holds: (screen: string) => boolean) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!holds(screen)) return
        watchers.delete(look)
        resolve()
      }
      watchers.add(look)
      look()
      void closed.then(() => reject(new Error(`it ended before:\n${screen}`)))
    })
  return {
    screen: () => screen,
    type(keys) {
      typedAt = screen.length
      child.stdin.write(keys)
    },
    until,
    answers: (holds) => until((all) => holds(all.slice(typedAt))),
    ended: async () => (await closed)[0],
    async resize(columns, rows) {
      const device = readlinkSync(`/proc/${pid()}/fd/0`)
      await once(spawn('stty', ['-F', device, 'cols', String(columns), 'rows', String(rows)]), 'close')
    },
    pid,
  }
}

export const hide = '\x1b[?25l'
const show = '\x1b[?25h'
/** True if the cursor is visible, or was never hidden. */
export const isRestored = (screen: string) => screen.lastIndexOf(show) >= screen.lastIndexOf(hide)
