import { defineTool, integer, object, optional, string, type Tool } from '@cadre/core'

/** Tools that record their real effects. */
export interface Effects {
  readonly done: string[]
  readonly tools: readonly Tool[]
}

export function countingTools(): Effects {
  const done: string[] = []
  const note = defineTool({
    name: 'note',
    description: 'Writes a note',
    class: 'edit',
    effect: 'write',
    input: object({ text: string('The note') }),
    async run({ text }) {
      done.push(`note ${text}`)
      return { content: `noted ${text}` }
    },
    async check({ text }) {
      return done.includes(`note ${text}`) ? 'done' : 'not_done'
    },
  })
  const launch = defineTool({
    name: 'launch',
    description: 'Cannot be taken back',
    class: 'execute',
    effect: 'execute',
    input: object({ what: string('What') }),
    async run({ what }) {
      done.push(`launch ${what}`)
      return { content: `launched ${what}` }
    },
  })
  const look = defineTool({
    name: 'look',
    description: 'Reads something',
    class: 'read',
    effect: 'read',
    aliases: ['Look'],
    argumentAliases: { filePath: 'path' },
    input: object({ path: string('Where'), size: optional(integer('How much')) }),
    async run({ path, size }) {
      return { content: size === undefined ? `saw ${path}` : 'x'.repeat(size) }
    },
  })
  const hang = defineTool({
    name: 'hang',
    description: 'Never ends by itself',
    class: 'read',
    effect: 'read',
    input: object({}),
    run: (_input, _context, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true })
      }),
  })
  const boom = defineTool({
    name: 'boom',
    description: 'Throws',
    class: 'read',
    effect: 'read',
    input: object({}),
    run: () => {
      throw new Error('boom, said the tool')
    },
  })
  return { done, tools: [note, launch, look, hang, boom] as unknown as Tool[] }
}
