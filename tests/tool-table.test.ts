import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createTools } from '@cadre/tools'
import { expect, it } from 'vitest'
import { delegationTools, reportOut } from '../packages/core/src/tree/delegation.ts'

it('the table in docs/agents.md has every built-in tool, with its class and effect', () => {
  const tools = [
    ...createTools({
      home: '/nowhere',
      messages: () => ({}) as never,
      teams: true,
      skills: () => [] as never,
      senders: { slack: true, mail: true } as never,
    }),
    ...delegationTools([]),
    reportOut,
  ]
  const expected = tools.map((tool) => `${tool.name} ${tool.class} ${tool.effect}`).sort()
  expect(rows().sort(), 'update the table in docs/agents.md').toEqual(expected)
})

function rows(): string[] {
  const page = readFileSync(path.join(import.meta.dirname, '../docs/agents.md'), 'utf8')
  const section = page.split('### Built-in tools')[1]?.split('\n## ')[0] ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [names = '', of, effect] = line.split(' | ').map((cell) => cell.replace(/[`|]/g, '').trim())
      return names.split(', ').map((name) => `${name} ${of} ${effect}`)
    })
}
