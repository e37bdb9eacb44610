import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { QuestionId } from '@cadre/core'

/** How a victim ended: with what it printed last, or killed. */
export interface End {
  readonly kind: string
  readonly report?: { status: string; text: string; usage: unknown; sessions: number; calls: number }
  readonly questions?: readonly QuestionId[]
  readonly approvals?: readonly { id: string; type: string; status: string; decidedBy?: string }[]
  readonly points: number
}

export type RunVictim = (home: string, args: readonly string[], killAt?: number) => Promise<End>

/** Runs one of the programs beside this file. */
export function victim(name: string): RunVictim {
  const program = fileURLToPath(new URL(name, import.meta.url))
  return (home, args, killAt) =>
    new Promise((resolve, reject) => {
      const env = { ...process.env, ...(killAt !== undefined && { CADRE_KILL_AT: String(killAt) }) }
      const child = spawn(process.execPath, [program, home, ...args], {
        env,
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
      child.on('error', reject)
      child.on('close', (code, signal) => {
        if (signal === 'SIGKILL') return resolve({ kind: 'killed', points: killAt ?? 0 })
        const line = out.trim().split('\n').at(-1) ?? ''
        if (code !== 0 || !line.startsWith('{'))
          return reject(new Error(`${args.join(' ')} ended with ${code}: ${err || out}`))
        resolve(JSON.parse(line) as End)
      })
    })
}

/** What happened in the world outside, whoever remembers it. */
export function effectsOf(home: string): string[] {
  const file = join(home, '..', 'effects.log')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').sort() : []
}

export async function inFreshHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-crash-'))
  try {
    mkdirSync(join(folder, 'home'))
    return await work(join(folder, 'home'))
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
