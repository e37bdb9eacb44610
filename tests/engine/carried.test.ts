import { type AgentDefinition, defineTool, object, optional, string, type Tool } from '@cadre/core'
import { call, createTestTeam, say } from '@cadre/testing'
import { describe, expect, test } from 'vitest'

/** A terminal tool as a host registers it, which records its commands. */
function terminal(name = 'execute_command') {
  const ran: string[] = []
  const tool: Tool = defineTool({
    name,
    description: 'Runs a command',
    class: 'execute',
    effect: 'execute',
    aliases: name === 'execute_command' ? ['run_in_terminal', 'Bash'] : [],
    input: object({ command: string('The line'), explanation: optional(string('A remark')) }),
    async run({ command }) {
      ran.push(command)
      return { content: 'ran' }
    },
  }) as Tool
  return { ran, tool }
}

const list = (...names: string[]) => ({ kind: 'list', names }) as const

async function carry(
  command: string,
  lead: Partial<AgentDefinition> = {},
  { tool = 'run_in_terminal', registered = 'execute_command' } = {},
) {
  const { ran, tool: registeredTool } = terminal(registered)
  const judged: string[] = []
  const team = createTestTeam({
    agents: [
      { name: 'lead', ...lead },
      { name: 'Explore' },
      { name: 'general-purpose' },
      { name: 'code reviewer' },
    ],
    tools: [registeredTool],
    lanes: {
      lead: [call([tool, { command, explanation: 'a remark' }]), say('ok'), say('and synthesised')],
      Explore: [say('explored')],
      'general-purpose': [say('generally')],
      'code reviewer': [say('reviewed')],
    },
    rules: [
      {
        by: 'policy',
        name: 'seen',
        immediate: true,
        judge: (one) => {
          judged.push(one.tool.name)
          return undefined
        },
      },
    ],
  })
  const { session } = await team.report({ agent: 'lead' })
  const child = team.models.requests.find(({ agent }) => agent !== 'lead')
  const entries = (await team.engine.read(session))?.entries ?? []
  const result = entries.find(({ role }) => role === 'tool_result') as { content: string } | undefined
  return { ran, judged, agent: child?.agent, work: child?.messages[0]?.content, result }
}

describe('a delegation through a terminal command', () => {
  test.each([
    ['delegate --type Explore --prompt "find the tests"', 'Explore', 'find the tests'],
    ["  delegate --type=Explore --prompt='find the tests'  ", 'Explore', 'find the tests'],
    ['delegate --prompt "find the tests" --type Explore', 'Explore', 'find the tests'],
    ['delegate --type Explore --prompt find the tests', 'Explore', 'find the tests'],
    ['delegate --type Explore find the tests', 'Explore', 'find the tests'],
    ['delegate --type Explore --prompt "one\n\ntwo\n"', 'Explore', 'one\n\ntwo'],
    ['delegate --type Explore --prompt "say \\"hi\\" twice"', 'Explore', 'say "hi" twice'],
    ['delegate --type Explore --prompt "say "hi" twice"', 'Explore', 'say "hi" twice'],
    ['delegate --type Explore --prompt "it never ends', 'Explore', 'it never ends'],
    ['delegate --prompt "about --type safety"', 'general-purpose', 'about --type safety'],
    ['delegate --type "code reviewer" --prompt "x"', 'code reviewer', 'x'],
    ['delegate --type Nobody --prompt "x"', 'general-purpose', 'x'],
  ])('%j', async (command, agent, work) => {
    const said = await carry(command)
    expect(said).toMatchObject({ agent, work, ran: [] })
    expect(said.judged.at(-1)).toBe('delegate_task')
    expect(said.judged).not.toContain('execute_command')
    expect(said.result?.content).toContain(`Started ${agent}`)
  })

  test.each(['run_in_terminal', 'Bash', 'execute_command'])('with any terminal name: %s', async (tool) => {
    expect(await carry('delegate --type Explore --prompt x', {}, { tool })).toMatchObject({
      agent: 'Explore',
      ran: [],
    })
  })

  test('even if the host has registered its own terminal', async () => {
    const said = await carry('delegate --type Explore --prompt x', {}, { registered: 'run_in_terminal' })
    expect(said).toMatchObject({ agent: 'Explore', ran: [] })
  })

  test('never runs the rest of the line', async () => {
    const said = await carry('delegate --type Explore --prompt "x" && touch pwned')
    expect(said).toMatchObject({ agent: 'Explore', ran: [] })
  })

  test.each([
    ['has only the terminal', { tools: list('run_in_terminal') }],
    ['has no delegation targets', { delegates: { kind: 'none' } as const }],
    ['may not delegate', { disallowedTools: ['delegate_task', 'delegateWork'] }],
    ['has no tools', { tools: list() }],
  ])('is refused for an agent that %s, and is not a command either', async (_, lead) => {
    const said = await carry('delegate --type Explore --prompt "x"', lead)
    expect(said).toMatchObject({ agent: undefined, ran: [], judged: [] })
    expect(said.result).toMatchObject({ outcome: 'refused' })
    expect(said.result?.content).toMatch(/is a delegation, not a command, and lead may not use delegate_task/)
  })

  test('reaches no agent that the caller may not delegate to', async () => {
    const only = { delegates: list('Explore') }
    const said = await carry('delegate --type "code reviewer" --prompt "x"', only)
    expect(said).toMatchObject({ agent: undefined, ran: [], result: { outcome: 'refused' } })
  })

  test('needs no terminal, and uses the agent’s delegation tool', async () => {
    expect(await carry('delegate --type Explore --prompt x', { tools: list('delegate_task') })).toMatchObject(
      {
        agent: 'Explore',
      },
    )
    const said = await carry('delegate --type Explore --prompt x', { tools: list('delegateWork') })
    expect(said).toMatchObject({ agent: 'Explore', work: expect.stringContaining('x') })
  })

  test.each([
    'delegate',
    'delegate --help',
    'delegate-x --type y',
    'echo delegate --type Explore',
    'delegate work',
  ])('%s is a command', async (command) => {
    expect(await carry(command)).toMatchObject({ agent: undefined, ran: [command] })
  })
})
