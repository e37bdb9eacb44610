import { randomInt } from 'node:crypto'
import type { IdGenerator } from '@cadre/core'

const letters = '0123456789abcdefghijklmnopqrstuvwxyz'
const randomLength = 8

/** Converts an agent's name to the prefix of an id that is safe as a file name on every system. */
export function slugOf(agent: string): string {
  const slug = agent
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '')
  return slug || 'agent'
}

/** `lead-k3x09q2f`: the agent, and enough random characters to be unique. */
export const sessionIds: IdGenerator = {
  session(agent) {
    const random = Array.from({ length: randomLength }, () => letters[randomInt(letters.length)]).join('')
    return `${slugOf(agent)}-${random}`
  },
}
