import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type End, type Play, type Program, programs } from './programs.ts'
import { withDeadline } from './with-deadline.ts'

export type { End, Play }

export interface Counted extends End {
  /** The number of points it reached. */
  readonly points: number
}

export interface Victims {
  /** In this process, which is never killed. */
  readonly here: Play
  /** In a separate process. */
  readonly alone: Play
  /** In a separate process that counts its points. */
  counted(home: string, args: readonly string[]): Promise<Counted>
  /** In a separate process that kills itself at this point. */
  killed(home: string, args: readonly string[], at: number): Promise<Counted>
  /** In a separate process that copies the disk at each point to `into/1`, `into/2`, … */
  recorded(home: string, args: readonly string[], into: string): Promise<Counted>
}

export function victimsOf(program: Program): Victims {
  const alone = (home: string, args: readonly string[], env: Record<string, string> = {}) =>
    runVictim(program, home, args, env)
  return {
    async here(home, args) {
      const play = await programs[program]()
      return withDeadline(play(home, args), () => `${program} ${args.join(' ')} in ${home} to end`)
    },
    alone: (home, args) => alone(home, args),
    counted: (home, args) => alone(home, args),
    killed: (home, args, at) => alone(home, args, { CADRE_KILL_AT: String(at) }),
    recorded: (home, args, into) => alone(home, args, { CADRE_SNAPSHOTS: into }),
  }
}

async function runVictim(
  program: Program,
  home: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Counted> {
  const child = spawn(process.execPath, [inject('victim'), program, home, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const title = `${program} ${args.join(' ')} in ${home}`
  const closed = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve([code, signal]))
  })
  const [code, signal] = await withDeadline(
    closed,
    () => `${title} (process ${child.pid}) to end; it printed:\n${out}${err}`,
  ).finally(() => child.kill('SIGKILL'))
  if (signal === 'SIGKILL') return { kind: 'killed', points: Number(env['CADRE_KILL_AT'] ?? 0) }
  const line = out.trim().split('\n').at(-1) ?? ''
  if (code !== 0 || !line.startsWith('{')) throw new Error(`${title} ended with ${code}: ${err || out}`)
  return JSON.parse(line) as Counted
}

/** The real effects, independent of what any process remembers. */
export function effectsOf(home: string): string[] {
  const file = join(home, '..', 'effects.log')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').sort() : []
}

/** Runs work with a new folder that contains the folder `home`. */
export async function inFreshHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  return inFreshFolder((folder) => {
    mkdirSync(join(folder, 'home'))
    return work(join(folder, 'home'))
  })
}

export async function inFreshFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-crash-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items]
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
    }),
  )
}
