import { createHash } from 'node:crypto'
import { slugOf } from '@cadre/home'

/**
 * The id of the session that takes up something: the same whenever it is asked for the same thing, so that a daemon that was
 * killed in between finds the session it had begun.
 */
export function sessionName(agent: string, ...about: readonly string[]): string {
  return `${slugOf(agent)}-${shortSum(agent, ...about)}`
}

/** Twelve letters that stand for some texts, in this order. */
export function shortSum(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 12)
}
