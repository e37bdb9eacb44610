import { createHash } from 'node:crypto'
import path from 'node:path'
import type { Hook } from './hook.ts'

/**
 * What a person agrees to when they trust hooks: the text they are written in, and the scripts of the project that they
 * name. A script that is changed afterwards asks again, as the file itself does.
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
