import { execSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { defineTool, object, optional, type Rule, string, type Tool } from '@cadre/core'
import { answers } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { resultsIn, sdkWorld } from './support/sdk-world.ts'

const never = new AbortController().signal

const asks: Rule<string> = {
  by: 'approval',
  name: 'asks',
  judge: ({ tool }) =>
    tool.effect === 'execute'
      ? { kind: 'ask', by: 'approval', rule: 'commands', reason: 'it runs something' }
      : undefined,
}
const denies: Rule<string> = {
  by: 'policy',
  name: 'no-launch',
  judge: ({ tool }) =>
    tool.name === 'launch'
      ? { kind: 'deny', by: 'policy', rule: 'no-launch', reason: 'Rockets stay on the ground.' }
      : undefined,
}

describe('the gate of a session on the Copilot SDK', () => {
  it('runs none of the tools of the runtime, tells the model so, and records each call as a round', async () => {
    let file = ''
    const world = await sdkWorld(({ step }) => {
      if (step === 0)
        return answers.reply({
          calls: [
            { id: 'shell', name: 'bash', input: { command: `touch ${file}`, description: 'x' } },
            { id: 'read', name: 'view', input: { path: '/etc/passwd' } },
            {
              id: 'agent',
              name: 'task',
              input: { description: 'd', prompt: 'p', agent_type: 'explore', name: 'n' },
            },
            { id: 'made', name: 'create', input: { path: file, file_text: 'x' } },
          ],
        })
      if (step === 1)
        return answers.reply({
          calls: [
            { id: 'again', name: 'bash', input: { command: `touch ${file}`, description: 'x' } },
            { id: 'ours', name: 'look', input: { path: 'a' } },
          ],
        })
      return answers.reply({ text: 'I give up.' })
    })
    file = path.join(world.folder, 'proof')
    expect(await world.report()).toMatchObject({ status: 'completed', text: 'I give up.' })
    expect(existsSync(file)).toBe(false)
    const refused = expect.stringContaining('This session has no tool')
    expect(resultsIn(world.asked[1])).toEqual({
      shell: refused,
      read: refused,
      agent: refused,
      made: refused,
    })
    expect(resultsIn(world.asked[2])).toMatchObject({ again: refused, ours: 'saw a' })
    // The loop has seen each of them, so round limits apply, and people can read what was tried.
    const journal = world.journals()
    for (const name of ['bash', 'view', 'task', 'create']) expect(journal).toContain(`copilot:${name}`)
    expect(world.events.filter(({ type }) => type === 'round.started')).toHaveLength(3)
  })

  it('ends at its round limit if the model calls only tools of the runtime', async () => {
    const world = await sdkWorld(
      ({ request }) =>
        answers.reply({ calls: [{ id: `c${request.number}`, name: 'bash', input: { command: 'ls' } }] }),
      { limits: { maxRounds: 3 } },
    )
    expect(await world.report()).toMatchObject({ status: 'incomplete' })
    expect(world.asked).toHaveLength(3)
  })

  it('does not confuse a tool of the runtime with a Cadre tool that has its name as an alias', async () => {
    let file = ''
    const world = await sdkWorld(
      ({ step }) =>
        step === 0
          ? answers.reply({
              calls: [{ id: 'c', name: 'bash', input: { command: `touch ${file}`, description: 'x' } }],
            })
          : answers.reply({ text: 'I give up.' }),
      { tools: () => [shell('execute_command', ['bash'])] },
    )
    file = path.join(world.folder, 'proof')
    expect(await world.report()).toMatchObject({ status: 'completed', calls: 0 })
    expect(existsSync(file)).toBe(false)
    expect(resultsIn(world.asked[1])['c']).toContain('This session has no tool')
  })

  it('runs Cadre’s tool, not the runtime’s, if both have the same name', async () => {
    let file = ''
    const world = await sdkWorld(
      ({ step }) =>
        step === 0
          ? answers.reply({
              calls: ['bash', 'view', 'task'].map((name) => ({
                id: name,
                name,
                input: { command: `touch ${file}` },
              })),
            })
          : answers.reply({ text: 'Done.' }),
      { tools: () => ['bash', 'view', 'task'].map((name) => imitation(name)) },
    )
    file = path.join(world.folder, 'proof')
    expect(await world.report()).toMatchObject({ status: 'completed', calls: 3 })
    expect(existsSync(file)).toBe(false)
    expect(resultsIn(world.asked[1])).toEqual({ bash: 'our bash', view: 'our view', task: 'our task' })
  })

  it('refuses what a rule denies, and tells the model why', async () => {
    const world = await sdkWorld(
      ({ step }) =>
        step === 0
          ? answers.reply({ calls: [{ id: 'c', name: 'launch', input: { what: 'rocket' } }] })
          : answers.reply({ text: 'Then not.' }),
      { rules: [denies] },
    )
    expect(await world.report()).toMatchObject({ status: 'completed', text: 'Then not.' })
    expect(world.effects.done).toEqual([])
    expect(resultsIn(world.asked[1])['c']).toContain('Rockets stay on the ground.')
  })

  it('is suspended while a person decides, and continues with the earlier messages', async () => {
    const world = await sdkWorld(
      ({ messages }) =>
        JSON.stringify(messages).includes('launched rocket')
          ? answers.reply({ text: 'It flies.' })
          : answers.reply({
              text: 'I launch it.',
              calls: [{ id: 'c', name: 'launch', input: { what: 'rocket' } }],
            }),
      { rules: [asks] },
    )
    const first = await world.orchestrator.start(
      { agent: 'lead', work: 'go', workspace: world.folder },
      never,
    )
    expect(first).toMatchObject({ kind: 'waiting', questions: [{ session: 'lead-1' }] })
    expect(world.effects.done).toEqual([])
    if (first.kind !== 'waiting' || first.questions[0] === undefined) throw new Error('unreachable')
    await world.answer(first.questions[0], { decision: 'approve' })
    const second = await world.orchestrator.resume('lead-1', {}, never)
    expect(second).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'It flies.' } })
    expect(world.effects.done).toEqual(['launch rocket'])
    const opening = String(world.asked[1]?.messages.at(-1)?.content)
    expect(opening).toContain('I launch it.')
    expect(opening).toContain('"content":"launched rocket"')
  })
})

function shell(name: string, aliases: string[]): Tool {
  return defineTool({
    name,
    aliases,
    description: 'Runs a command',
    class: 'execute',
    effect: 'execute',
    input: object({ command: string('The command'), description: optional(string('Why')) }),
    async run({ command }) {
      execSync(command)
      return { content: 'done' }
    },
  }) as Tool
}

function imitation(name: string): Tool {
  return defineTool({
    name,
    description: 'Does nothing',
    class: 'read',
    effect: 'read',
    input: object({ command: string('Anything') }),
    run: async () => ({ content: `our ${name}` }),
  }) as Tool
}
