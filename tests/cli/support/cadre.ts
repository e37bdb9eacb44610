import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { canRunHere, ownPath, runHere } from './in-process.ts'
import { recordOwnHome } from './own-home.ts'

export const bin = path.join(import.meta.dirname, '..', '..', '..', 'packages', 'cli', 'bin', 'cadre.js')

export interface CadreOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** For a process: its standard input stays open after `input`. */
  readonly keepInput?: boolean
  /** The home came from elsewhere: it is not recorded as the user's own. */
  readonly isForeign?: boolean
  /** The test is about the process, so one is started, although the test process could run the command. */
  readonly ownProcess?: boolean
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** Parses every line of standard output as JSON; fails if one is invalid. */
  json(): Record<string, unknown>[]
}

export interface RunningCadre {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly pid: number
  /** The output so far. */
  stdout(): string
  stderr(): string
  /** Resolves when the predicate is true for the output; fails if the process exits before. */
  until(holds: (stdout: string, stderr: string) => boolean): Promise<void>
  ended(): Promise<Ended>
}

/** Starts the built command as a separate process, without the caller's settings. */
export function startCadre(args: readonly string[], options: CadreOptions): RunningCadre {
  const env = prepareEnvironment(args, options)
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: options.cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  const watchers = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const look of watchers) look()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    for (const look of watchers) look()
  })
  child.stdin.on('error', () => {})
  if (options.keepInput) child.stdin.write(options.input ?? '')
  else child.stdin.end(options.input ?? '')
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  return {
    child,
    pid: child.pid as number,
    stdout: () => stdout,
    stderr: () => stderr,
    until: (holds) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!holds(stdout, stderr)) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
        void closed.then(() => reject(new Error(`it ended before:\n${stdout}\n${stderr}`)))
      }),
    async ended() {
      const [code, signal] = await closed
      return { code, signal, stdout, stderr, json: () => parseLines(stdout) }
    },
  }
}

/** Runs the command to its end: in this process if that makes no difference, because starting one is slow. */
export async function runCadre(args: readonly string[], options: CadreOptions): Promise<Ended> {
  if (options.ownProcess || !canRunHere(args, options.env)) return startCadre(args, options).ended()
  const env = prepareEnvironment(args, options)
  const ended = await runHere({ args, cwd: options.cwd, env, input: options.input ?? '' })
  return { ...ended, signal: null, json: () => parseLines(ended.stdout) }
}

/** The environment of the command, without the caller's settings. */
function prepareEnvironment(args: readonly string[], { cwd, env: more, isForeign }: CadreOptions) {
  const env = { PATH: ownPath, HOME: cwd, USER: 'tester', ...more }
  if (!isForeign) recordOwnHome({ cwd, env, args })
  return env
}

function parseLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
