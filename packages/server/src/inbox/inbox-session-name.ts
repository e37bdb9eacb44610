import { createHash } from 'node:crypto'
import { slugOf } from '@cadre/home'

/** Derives the id of a session from its cause, so that after a crash the daemon finds the session it had started. */
export function sessionName(agent: string, ...about: readonly string[]): string {
  return `${slugOf(agent)}-${shortHash(agent, ...about)}`
}

/** A hash of these texts, in twelve letters. */
export function shortHash(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 12)
}
