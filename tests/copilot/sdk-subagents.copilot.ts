import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Rule } from '@cadre/core'
import { answers } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { resultsIn, sdkWorld } from './support/sdk-world.ts'

const denies: Rule<string> = {
  by: 'policy',
  name: 'no-launch',
  judge: ({ tool }) =>
    tool.name === 'launch'
      ? { kind: 'deny', by: 'policy', rule: 'no-launch', reason: 'Rockets stay on the ground.' }
      : undefined,
}

const start = (id: string, prompt: string, mode = 'sync') => ({
  id,
  name: 'task',
  input: { description: prompt, prompt, agent_type: 'general-purpose', name: prompt, mode },
})

describe('subagents of the Copilot runtime', () => {
  it('are judged and recorded as calls of the session, if enabled', async () => {
    let file = ''
    const world = await sdkWorld(
      ({ agent, step, messages }) => {
        const isChild = agent !== 'lead'
        if (isChild && step > 0)
          return answers.reply({ text: `Child saw ${Object.values(resultsIn({ messages }))}.` })
        const who = /(one|two)/.exec(String(messages[1]?.content))?.[1]
        if (isChild)
          return answers.reply({
            calls: [
              { id: `${who}1`, name: 'look', input: { path: who } },
              { id: `${who}2`, name: 'launch', input: { what: 'rocket' } },
              { id: `${who}3`, name: 'bash', input: { command: `touch ${file}`, description: 'x' } },
            ],
          })
        if (step === 0)
          return answers.reply({
            calls: [start('a', 'one'), start('b', 'two'), start('c', 'three', 'background')],
          })
        return answers.reply({ text: 'Done.' })
      },
      { config: { copilot: { offline: true, subagents: true } }, rules: [denies] },
    )
    file = path.join(world.folder, 'proof')
    expect(await world.report()).toMatchObject({ status: 'completed', text: 'Done.' })
    expect(world.effects.done).toEqual([])
    expect(existsSync(file)).toBe(false)
    const results = resultsIn(world.asked.findLast(({ agent }) => agent === 'lead'))
    expect(results).toMatchObject({
      a: expect.stringContaining('saw one'),
      b: expect.stringContaining('saw two'),
      c: expect.stringContaining('Only mode "sync" is allowed.'),
    })
    expect(results['a']).toContain('Rockets stay on the ground.')
    expect(results['a']).toContain('This session has no tool "bash"')
    const journal = world.journals()
    for (const text of ['[Subagent one]', '[Subagent two]', 'saw one', 'saw two', 'copilot:bash'])
      expect(journal).toContain(text)
  })
})
