import { randomInt } from 'node:crypto'
import type { Ids } from '@cadre/core'

const letters = '0123456789abcdefghijklmnopqrstuvwxyz'
const randomLength = 8

/** `lead-k3x09q2f`: an agent's name that is safe as a file name everywhere, and enough chance that no two are the same. */
export const sessionIds: Ids = {
  session(agent) {
    const slug = agent
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 40)
      .replace(/^-+|-+$/g, '')
    const random = Array.from({ length: randomLength }, () => letters[randomInt(letters.length)]).join('')
    return `${slug || 'agent'}-${random}`
  },
}
