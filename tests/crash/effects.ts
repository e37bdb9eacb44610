// A clock, and tools whose effects a test can see in a file next to the home.
import fs from 'node:fs'
import { join } from 'node:path'
import { type Clock, defineTool, object, string, type Tool } from '@cadre/core'

export const clock: Clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** `mark` can be checked afterwards, like a written file; `launch` cannot, like a sent message. */
export function createEffects(home: string): { mark: Tool; launch: Tool } {
  const effects = join(home, '..', 'effects.log')
  const lines = () => (fs.existsSync(effects) ? fs.readFileSync(effects, 'utf8').split('\n') : [])
  const mark = defineTool({
    name: 'mark',
    description: 'Leaves a mark',
    class: 'edit',
    effect: 'write',
    input: object({ what: string('what') }),
    run: async ({ what }) => {
      fs.appendFileSync(effects, `mark ${what}\n`)
      return { content: `marked ${what}` }
    },
    check: async ({ what }) => (lines().includes(`mark ${what}`) ? 'done' : 'not_done'),
  }) as Tool
  const launch = defineTool({
    name: 'launch',
    description: 'Cannot be taken back',
    class: 'execute',
    effect: 'execute',
    input: object({ what: string('what') }),
    run: async ({ what }) => {
      fs.appendFileSync(effects, `launch ${what}\n`)
      return { content: `launched ${what}` }
    },
  }) as Tool
  return { mark, launch }
}
