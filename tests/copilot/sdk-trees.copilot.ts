import { answers } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { resultsIn, sdkWorld } from './support/sdk-world.ts'

const task = (id: string, agent: string, prompt: string, more = {}) => ({
  id,
  name: 'delegate_task',
  input: { description: prompt, prompt, subagent_type: agent, ...more },
})

describe('a team on the Copilot SDK', () => {
  it('runs children in the background, in two rounds, and collects their reports', async () => {
    const world = await sdkWorld(({ agent, step, messages }) => {
      if (agent === 'worker') return answers.reply({ text: `Report on ${lastWord(messages[1]?.content)}.` })
      if (step === 0)
        return answers.reply({ calls: [task('a', 'worker', 'one'), task('b', 'worker', 'two')] })
      if (step === 1) return answers.reply({ text: 'I wait.' })
      if (step === 2)
        return answers.reply({ calls: [task('c', 'worker', 'three'), task('d', 'worker', 'four')] })
      if (step === 3) return answers.reply({ text: 'I wait again.' })
      return answers.reply({ text: 'All four are done.' })
    })
    const report = await world.report()
    expect(report).toMatchObject({ status: 'completed', text: 'All four are done.', sessions: 5 })
    const last = JSON.stringify(world.asked.filter(({ agent }) => agent === 'lead').at(-1)?.messages)
    for (const word of ['one', 'two', 'three', 'four']) expect(last).toContain(`Report on ${word}.`)
    expect(world.runtimes()).toHaveLength(1)
  })

  it('delegates three levels down, each waiting for the next', async () => {
    const world = await sdkWorld(
      ({ agent, step, messages }) => {
        const below = { lead: 'middle', middle: 'worker' }[agent]
        if (below === undefined) return answers.reply({ text: 'The bottom.' })
        if (step === 0)
          return answers.reply({ calls: [task('c', below, 'go down', { wait_for_result: true })] })
        return answers.reply({ text: `${agent} heard: ${messages.at(-1)?.content}` })
      },
      {
        agents: ['lead', 'middle', 'worker'].map((name) => ({ name, delegates: { kind: 'all' as const } })),
        limits: { depth: 3 },
      },
    )
    const report = await world.report()
    expect(report).toMatchObject({ status: 'completed', sessions: 3 })
    expect(report.text).toMatch(/^lead heard: [\s\S]*middle heard: [\s\S]*The bottom\./)
    expect(resultsIn(world.asked.at(-1))['c']).toContain('The bottom.')
  })
})

function lastWord(text: string | null | undefined): string {
  return /(one|two|three|four)/.exec(text ?? '')?.[1] ?? ''
}
