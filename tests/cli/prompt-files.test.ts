import { readdirSync } from 'node:fs'
import { answers, startWire } from '@cadre/testing'
import { expect, onTestFinished } from 'vitest'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject } from './support/project.ts'

const test = sampled(2)

interface Body {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}

/** Chats with `lead`, and returns what the server received for each line. */
async function chat(
  files: Readonly<Record<string, string | object>>,
  lines: readonly string[],
  trust = true,
) {
  const wire = await startWire(answers.reply({ text: 'Done.' }))
  onTestFinished(wire.close)
  const project = createProject({ ...agentFile('lead'), 'user/.keep': '', ...files })
  const flags = ['--json', '--agent', 'lead', ...(trust ? ['--trust'] : [])]
  const ended = await project.cadre(['chat', ...flags], {
    input: `${lines.join('\n')}\n`,
    env: { HOME: project.at('user'), OPENAI_BASE_URL: wire.url, CADRE_MODEL: 'openai:big' },
  })
  const bodies = wire.requests.map(({ body }) => body as Body)
  return { ...ended, project, bodies, last: bodies.map(({ messages }) => messages.at(-1)?.content ?? '') }
}

test('a command of Claude Code gets its arguments, files and the output of its commands', async () => {
  const { last, stderr } = await chat(
    {
      '.claude/commands/check.md':
        '---\ndescription: Check\nargument-hint: FILE WHY\n---\nCheck $1 because $2 ($ARGUMENTS), see @notes.md and mail@notes.md.\n!`cat notes.md`\n',
      '.claude/commands/ops/plain.md': 'No placeholder.',
      'user/.claude/commands/mine.md': 'Mine: $ARGUMENTS',
      'notes.md': 'some notes',
    },
    ['/check a.ts "it is !`touch pwned` odd"', '/plain one two', '/mine x'],
  )
  expect(stderr.replace(/^cadre: Commands run without a sandbox.*\n/, '')).toBe('')
  expect(last[0]).toMatch(/^Check a\.ts because it is !`touch pwned` odd \(a\.ts /)
  expect(last[0]?.split('some notes')).toHaveLength(3)
  expect(last[0]).toContain('<file path="notes.md">')
  expect(last[1]).toBe('No placeholder.\n\nARGUMENTS: one two')
  expect(last[2]).toBe('Mine: x')
})

test('a command that needs approval, or is denied, does not run', async () => {
  const files = {
    '.claude/commands/go.md': 'A !`touch pwned` B !`cat .env` C\n!`cat $ARGUMENTS`\n',
    '.claude/settings.json': { permissions: { deny: ['Read(./.env)'] } },
    '.env': 'SECRET=1',
    'a.txt': 'text of a',
  }
  const { last, project } = await chat(files, ['/go a.txt; touch pwned', '/go a.txt'])
  expect(project.exists('pwned')).toBe(false)
  expect(last.join('\n')).not.toContain('SECRET=1')
  expect(last[1]).toContain('Cadre did not run this command: the command needs approval')
  // Without a sandbox, a command could read denied files, so it also needs approval.
  const { '.claude/settings.json': _, ...open } = files
  expect((await chat(open, ['/go a.txt'])).last[0]).toContain('text of a')
  const untrusted = await chat(
    { ...files, '.github/hooks/a.json': { hooks: { Stop: [{ type: 'command', command: 'true' }] } } },
    ['/go a.txt'],
    false,
  )
  expect(untrusted.last[0]).not.toContain('text of a')
})

test('a prompt file of Copilot gets its inputs, its agent, its model and its tools', async () => {
  const { bodies, last, stdout } = await chat(
    {
      ...agentFile('reviewer', { tools: ['read_file', 'write_file', 'execute_command'] }),
      '.github/prompts/review.prompt.md': `---\nagent: reviewer\nmodel: openai:small\ntools: [read, Bash]\n---\nReview \${input:what} for \${input:why:the reason} in \${workspaceFolder}.\n`,
      '.github/prompts/ask.prompt.md': `---\nmode: ask\n---\nHello \${input:name}!`,
    },
    ['/ask', '/ask name="two words"', '/review what=src all reasons', '/nothing', 'And now?', 'And then?'],
  )
  expect(stdout).toContain('/ask needs a value for name')
  expect(last[0]).toBe('Hello two words!')
  expect(last[1]).toMatch(/^Review src for all reasons in \//)
  expect(bodies[1]?.model).toBe('small')
  expect(bodies[1]?.messages[0]?.content).toContain('You are reviewer.')
  expect(bodies[1]?.tools?.map((tool) => tool.function.name)).toEqual(['read_file', 'execute_command'])
  expect(stdout).toContain('unknown command /nothing')
  // The model and the tools applied to one message. The agent and the conversation stay.
  for (const later of bodies.slice(2)) {
    expect(later.model).toBe('big')
    expect(later.messages[0]?.content).toContain('You are reviewer.')
    expect(later.messages.map(({ content }) => content).join()).toContain('Review src for all reasons')
    expect(later.tools?.map((tool) => tool.function.name)).toContain('write_file')
  }
  expect(last.slice(2)).toEqual(['And now?', 'And then?'])
})

test('after a command with its own tools, the built-in assistant has all its tools again', async () => {
  const files = { '.github/prompts/peek.prompt.md': '---\ntools: [read]\n---\nPeek.\n' }
  const { bodies } = await chat(files, ['/agent assistant', '/peek', 'Hello', '/peek', '/new', 'Hello'])
  const names = bodies.map(({ tools }) => tools?.map((tool) => tool.function.name) ?? [])
  expect(names.map((tools) => tools.includes('read_file'))).toEqual([true, true, true, true])
  expect(names.map((tools) => tools.includes('write_file'))).toEqual([false, true, false, true])
})

test('allowed-tools approve calls of one message after trust, and never what a policy denies', async () => {
  const write = (path: string) => ({ tool: 'write_file', input: { path, content: 'x' } })
  const run = async (flags: readonly string[], more: Readonly<Record<string, string | object>> = {}) => {
    const project = createProject({
      ...agentFile('lead'),
      '.claude/commands/make.md': '---\nallowed-tools: Write, Bash(git add:*)\n---\nMake it.\n',
      'p.yaml': {
        lanes: {
          lead: [{ calls: [write('a.txt')] }, { reply: 'x' }, { calls: [write('b.txt')] }, { reply: 'y' }],
        },
      },
      'user/.keep': '',
      ...more,
    })
    const { stdout } = await project.cadre(['chat', '--agent', 'lead', '--no-human', ...flags], {
      input: '/make\nAnd the other one.\n',
      env: { HOME: project.at('user'), CADRE_MODEL: 'scripted:p.yaml' },
    })
    return { stdout, files: ['a.txt', 'b.txt'].filter((name) => project.exists(name)) }
  }
  expect((await run(['--trust'])).files).toEqual(['a.txt'])
  expect((await run([])).files).toEqual([])
  const denying = { 'user/.config/cadre/policy.yaml': { effects: { write: 'deny' } } }
  expect((await run(['--trust'], denying)).files).toEqual([])
  const restricting = { '.claude/settings.json': { permissions: { deny: ['Write(a.txt)'] } } }
  expect((await run(['--trust'], restricting)).files).toEqual([])
})

test('commands of a prompt file are in the audit log, with the decision and the outcome', async () => {
  const { project, last } = await chat(
    {
      'user/.claude/commands/mine.md':
        '---\nallowed-tools: Bash(touch own.txt)\n---\n!`touch own.txt` !`touch other.txt` !`cat missing.txt`\n',
    },
    ['/mine'],
  )
  expect([project.exists('own.txt'), project.exists('other.txt')]).toEqual([true, false])
  expect(last[0]).toContain('Cadre did not run this command: the command needs approval')
  const [day] = readdirSync(project.at('.cadre/events'))
  const lines = project
    .read(`.cadre/events/${day}`)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ prompt }) => prompt !== undefined)
  expect(lines).toMatchObject([
    {
      type: 'call.judged',
      prompt: expect.stringContaining('mine.md'),
      agent: 'lead',
      tool: 'execute_command',
      input: { command: 'touch own.txt' },
      decision: 'allow',
      rule: expect.stringContaining('Bash(touch own.txt)'),
    },
    { type: 'call.settled', call: lines[0]?.['call'], outcome: 'done' },
    { type: 'call.judged', input: { command: 'touch other.txt' }, decision: 'ask' },
    { type: 'call.settled', outcome: 'refused' },
    { type: 'call.judged', input: { command: 'cat missing.txt' }, decision: 'allow' },
    { type: 'call.settled', outcome: 'failed' },
  ])
  expect(lines[0]?.['person']).toEqual(expect.any(String))
})
