import { expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject, delegate, deployTool, report } from './support/project.ts'
import { hasScript, hide, isRestored, openTerminal } from './support/terminal.ts'

const test = sampled(4)

const agents = { ...agentFile('lead'), ...agentFile('worker') }

test.skipIf(!hasScript)('the tree is painted during the run, and the cursor is restored', async () => {
  const project = createProject({
    ...agents,
    'p.yaml': {
      lanes: {
        lead: [{ calls: [delegate('worker')] }, { reply: 'All is done.' }],
        worker: [
          { wait: 400, calls: [{ tool: 'list_directory', input: { path: '.' } }] },
          { wait: 200, ...report('done') },
        ],
      },
    },
  })
  const terminal = openTerminal(project, ['run', '--model', 'scripted:p.yaml', 'x'])
  await terminal.until((screen) => screen.includes('└─') && screen.includes('worker'))
  expect(terminal.screen()).toContain(hide)
  expect(await terminal.ended()).toBe(0)
  expect(isRestored(terminal.screen())).toBe(true)
  expect(terminal.screen()).toContain('All is done.')
  expect(terminal.screen()).toContain('2 sessions')
})

const hanging = {
  ...agents,
  'p.yaml': { lanes: { lead: [{ calls: [delegate('worker')] }], worker: [{ hang: true }] } },
}

test.skipIf(!hasScript)(
  'Ctrl-C in the terminal stops the tree, explains how to continue, and restores the cursor',
  async () => {
    const terminal = openTerminal(createProject(hanging), ['run', '--model', 'scripted:p.yaml', 'x'])
    await terminal.until((screen) => screen.includes('worker') && screen.includes('round 1'))
    terminal.type('\x03')
    expect(await terminal.ended()).toBe(130)
    expect(terminal.screen()).toMatch(/cadre resume lead-\w+/)
    expect(isRestored(terminal.screen())).toBe(true)
  },
)

test.skipIf(!hasScript)('asks a person in the terminal, and the run continues with the answer', async () => {
  const project = createProject({
    ...agentFile('lead'),
    ...deployTool,
    'p.yaml': {
      lanes: {
        lead: [{ calls: [{ tool: 'deploy', input: { to: 'production' } }] }, { reply: 'Result: {{last}}' }],
      },
    },
  })
  const terminal = openTerminal(project, ['run', '--trust', '--model', 'scripted:p.yaml', 'x'])
  await terminal.until((screen) => screen.includes('1 approve · 2 reject'))
  expect(terminal.screen()).toContain('production')
  expect(isRestored(terminal.screen())).toBe(true)
  terminal.type('maybe\r')
  await terminal.until((screen) => screen.includes('Type a number or one of'))
  terminal.type('y\r')
  expect(await terminal.ended()).toBe(0)
  expect(terminal.screen()).toContain('Result: it is live')
  expect(isRestored(terminal.screen())).toBe(true)
})

test.skipIf(!hasScript)('cadre without a command starts a chat', async () => {
  const project = createProject({
    ...agentFile('lead'),
    'p.yaml': { lanes: { lead: [{ reply: 'Hello.' }] } },
  })
  const terminal = openTerminal(project, [], { env: { CADRE_MODEL: 'scripted:p.yaml' } })
  await terminal.until((screen) => screen.includes('Chatting with lead.') && screen.includes('lead>'))
  terminal.type('\x04')
  expect(await terminal.ended()).toBe(0)
})

test.skipIf(!hasScript)('hostile text does not reach a terminal either', async () => {
  const project = createProject({
    ...agentFile('lead'),
    'p.yaml': {
      lanes: { lead: [{ reply: 'one\x1b[2J\x1b]0;owned\x07two', stream: { pieces: 3, every: 150 } }] },
    },
  })
  const terminal = openTerminal(project, ['run', '--model', 'scripted:p.yaml', 'x'])
  expect(await terminal.ended()).toBe(0)
  expect(terminal.screen()).not.toContain('\x1b[2J')
  expect(terminal.screen()).not.toContain('\x1b]')
  expect(terminal.screen()).toContain('onetwo')
})

test.skipIf(!hasScript)(
  'a tree that is larger than the screen is folded, and NO_COLOR is respected',
  async () => {
    const many = Array.from({ length: 60 }, (_, index) => delegate('worker', `part ${index}`))
    // Agents that can write would get sixty workspaces.
    const project = createProject({
      ...agentFile('lead'),
      ...agentFile('worker', { tools: ['read'] }),
      'p.yaml': {
        lanes: {
          lead: [{ calls: many }, { reply: 'All is done.' }],
          worker: [{ wait: 50, ...report('done') }],
        },
      },
    })
    const terminal = openTerminal(project, ['run', '--model', 'scripted:p.yaml', 'x'], {
      columns: 40,
      rows: 8,
      env: { NO_COLOR: '1' },
    })
    expect(await terminal.ended()).toBe(0)
    // Never further up than the frame is high: what scrolled out cannot be repainted.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that moves the cursor up.
    const ups = [...terminal.screen().matchAll(/\x1b\[(\d+)A/g)].map(([, lines]) => Number(lines))
    expect(Math.max(...ups)).toBeLessThan(8)
    expect(terminal.screen()).toContain('└─… 60 completed')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours.
    expect(terminal.screen()).not.toMatch(/\x1b\[\d*m/)
    expect(isRestored(terminal.screen())).toBe(true)
  },
)

test.skipIf(!hasScript)('asks a person once whether to trust a folder', async () => {
  const tool = `export const ping = { name: 'ping', description: 'x', class: 'read', effect: 'read',
    input: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }, parameters: { type: 'object' },
    run: async () => ({ content: 'pong' }) }`
  const project = createProject({
    ...agentFile('lead'),
    'ping.mjs': tool,
    '.cadre/config.yaml': { tools: ['../ping.mjs'] },
    'p.yaml': { lanes: { lead: [{ calls: [{ tool: 'ping' }] }, { reply: 'Result: {{last}}' }] } },
  })
  const run = ['run', '--model', 'scripted:p.yaml', 'x']
  const asks = (screen: string) => screen.includes('Enter to decide later')
  const later = openTerminal(project, run)
  await later.until(asks)
  expect(later.screen()).toMatch(/ping\.mjs\s+\S*runs as a tool module/)
  later.type('\r')
  expect(await later.ended()).toBe(0)
  expect(later.screen()).toContain('Result: there is no tool named')
  const yes = openTerminal(project, run)
  await yes.until(asks)
  yes.type('y\r')
  expect(await yes.ended()).toBe(0)
  expect(yes.screen()).toContain('Result: pong')
  const trusted = await project.cadre([...run, '-q'])
  expect(trusted.stdout).toContain('Result: pong')
  expect(trusted.stderr).toBe('')
  // Bound to the content: a changed module is no longer trusted.
  project.write('ping.mjs', tool.replace('pong', 'changed'))
  const changed = await project.cadre(run)
  expect(changed.stdout).not.toContain('Result: changed')
  expect(changed.stderr).toMatch(/is not trusted[\s\S]*ping\.mjs runs as a tool module/)
  // A no is also an answer: the same question is not asked again.
  const no = openTerminal(project, run)
  await no.until(asks)
  no.type('n\r')
  expect(await no.ended()).toBe(0)
  const silent = openTerminal(project, run)
  expect(await silent.ended()).toBe(0)
  expect(asks(silent.screen())).toBe(false)
  expect(silent.screen()).toContain('You declined')
})

test.skipIf(!hasScript)('tables fit the terminal, and nothing is cut without a terminal', async () => {
  const description = 'Knows everything there is to know about a very small part of the world'
  const project = createProject({
    '.github/agents/a-specialist-for-this.agent.md': `---\nname: a-specialist-for-this\ndescription: ${description}\nmodel: [gpt-5, o3]\nhandoffs: []\n---\nDo it.\n`,
  })
  for (const args of [['agents', 'list'], ['lint']]) {
    const terminal = openTerminal(project, args, { columns: 80 })
    expect(await terminal.ended()).toBe(0)
    const table = terminal
      .screen()
      .split(/\r?\n/)
      .filter((line) => /^(?:AGENT|EFFECT|a-specialist|ignored|rejects)/.test(line))
    expect(table.length).toBeGreaterThan(1)
    for (const line of table) expect(line.length).toBeLessThanOrEqual(80)
    expect(table.join('\n')).toContain('…')
  }
  expect((await project.cadre(['agents', 'list'])).stdout).toContain(description)
})

test.skipIf(!hasScript)('the servers for other programs say what they wait for', async () => {
  for (const [command, sentence] of [
    ['acp', 'waits for an editor on standard input'],
    ['mcp', 'waits for a program on standard input'],
  ] as const) {
    const terminal = openTerminal(createProject(), [command], { columns: 200 })
    await terminal.until((screen) => screen.includes(sentence))
    terminal.type('\x03')
    await terminal.ended()
  }
})
