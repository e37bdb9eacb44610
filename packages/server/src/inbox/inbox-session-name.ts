import { createHash } from 'node:crypto'

/**
 * The id of the session that takes up something: the same whenever it is asked for the same thing, so that a daemon that was
 * killed in between finds the session it had begun.
 */
export function sessionName(agent: string, ...about: readonly string[]): string {
  const slug = agent
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '')
  return `${slug || 'agent'}-${shortSum(agent, ...about)}`
}

/** Twelve letters that stand for some texts, in this order. */
export function shortSum(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 12)
}
