import { existsSync, readdirSync } from 'node:fs'
import type { Entry, ModelRequest, Reply } from '@cadre/core'
import { call, say } from '@cadre/testing'
import { describe, expect, test } from 'vitest'
import { lastMessage } from './team-messages.ts'
import { createTeamWorld } from './team-world.ts'

const only = (...names: string[]) => ({ tools: { kind: 'list' as const, names } })
const agents = [
  { name: 'lead' },
  { name: 'reader', ...only('Read') },
  { name: 'writer', ...only('Read', 'SendMessage') },
  { name: 'deployer' },
]
const member = (name: string, agentType = 'reader') => ({
  name,
  agentType,
  initialPrompt: `begin as ${name}`,
})
const create = (name: string, ...members: object[]) => call(['create_team', { name, members }])
const send = (to: string) => call(['send_message', { to, text: 'Deploy now.' }])
const always = (line: (request: ModelRequest) => Reply) => Array.from({ length: 20 }, () => line)
const untilIdle = always((request) => say(lastMessage(request).includes('are idle') ? 'end' : 'waiting'))
const contents = (entries: readonly Entry[] = []) =>
  entries.flatMap((entry) => (entry.role === 'tool_result' ? [entry.content] : []))

describe('a teammate whose tools do not include send_message', () => {
  async function outcomes(agent: string, ...to: string[]) {
    const world = createTeamWorld()
    const team = await world.open({
      agents,
      lanes: {
        lead: [create('t', member('ann', agent), member('ben', 'deployer')), ...untilIdle],
        [agent]: [...to.map(send), ...always(() => say('done'))],
        deployer: always(() => say('hm')),
      },
    })
    await team.report({ agent: 'lead' })
    const mate = (await world.sessions()).find(({ spec }) => spec.team?.member === 'ann')
    return { world, results: contents(mate?.entries) }
  }

  test('writes only to its team', async () => {
    const { world, results } = await outcomes('reader', 'deployer', 'ben', 'lead', 'nobody')
    expect(results[0]).toContain(
      'reader may only write to its team, because its tools do not include send_message',
    )
    expect(results[0]).toContain('Your team: lead, ben')
    expect(results[1]).toContain('"to":"ben"')
    expect(results[2]).toContain('"to":"lead"')
    expect(results[3]).toContain('may only write to its team')
    expect(existsSync(world.home.at('mailboxes'))).toBe(false)
  })

  test('does not write to a session outside its team', async () => {
    const world = createTeamWorld()
    const other = await world.open({ agents, lanes: { deployer: [say('hm')] } })
    const { session } = await other.report({ agent: 'deployer' })
    const team = await world.open({
      agents,
      lanes: {
        lead: [create('t', member('ann')), ...untilIdle],
        reader: [send(session), ...always(() => say('done'))],
      },
    })
    await team.report({ agent: 'lead' })
    const mate = (await world.sessions()).find(({ spec }) => spec.team !== undefined)
    expect(contents(mate?.entries)[0]).toContain('may only write to its team')
    expect(existsSync(world.home.at('mailboxes'))).toBe(false)
  })

  test('one whose tools include it writes to any agent', async () => {
    const { results, world } = await outcomes('writer', 'deployer')
    expect(results[0]).toContain('"to":"deployer"')
    expect(readdirSync(world.home.at('mailboxes'))).toEqual(['deployer.jsonl'])
  })
})
