import { createHash } from 'node:crypto'
import path from 'node:path'
import type { Hook } from './hook.ts'

/**
 * Computes the fingerprint that a person trusts: the text of the hooks, and the project scripts they name. If one of them
 * changes, Cadre asks again.
 */
export function fingerprintHooks(
  text: string,
  hooks: readonly Pick<Hook, 'scripts'>[],
  project: string,
): string {
  const digest = createHash('sha256').update(text)
  const scripts = new Map(
    hooks.flatMap(({ scripts: all = [] }) => all.map((script) => [script.path, script.sha256])),
  )
  for (const [at, sha256] of [...scripts].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (sha256 !== undefined) digest.update(`\0${path.relative(project, at)}\0${sha256}`)
  return digest.digest('hex')
}
