import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { copilotFolder } from '../copilot-folder.ts'
import type { ServerPaths } from '../copilot-ls/find-server.ts'
import type { ServerMode } from './catalogue.ts'

/** Cached facts about Copilot, because asking takes seconds. Never a token. May be deleted. */
export interface CopilotCache {
  readonly account?: CachedAccount
  /** As listed by the server of this version. */
  readonly modes?: { readonly version: string; readonly list: readonly ServerMode[] }
}

export type CachedAccount =
  | {
      readonly kind: 'signed-in'
      readonly user: string
      /** The variable with the token; absent for a stored sign-in. */
      readonly variable?: string
      /** The default model of the account. */
      readonly model?: string
      /** When it was confirmed, in milliseconds since 1970. */
      readonly at: number
    }
  /** Nobody was signed in, with this state of the stored sign-ins. */
  | { readonly kind: 'signed-out'; readonly stored: string }

export function readCache(env: ServerPaths['env']): CopilotCache {
  try {
    const value: unknown = JSON.parse(readFileSync(fileOf(env), 'utf8'))
    return typeof value === 'object' && value !== null ? (value as CopilotCache) : {}
  } catch {
    return {}
  }
}

/** Adds to the cache. If it cannot be written, the next command asks again. */
export function updateCache(env: ServerPaths['env'], more: CopilotCache): void {
  const file = fileOf(env)
  const fresh = `${file}.${process.pid}`
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(fresh, `${JSON.stringify({ ...readCache(env), ...more })}\n`, { mode: 0o600 })
    renameSync(fresh, file)
  } catch {
    rmSync(fresh, { force: true })
  }
}

function fileOf(env: ServerPaths['env']): string {
  return path.join(path.dirname(copilotFolder(env)), 'copilot-account.json')
}
