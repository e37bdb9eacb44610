import { readFileSync, statSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sampled } from '../support/amount.ts'
import {
  bracketedPaste,
  continueKey,
  ctrlC,
  ctrlD,
  isAsking,
  open,
  openBusyChat,
  openSpeakingChat,
  pasted,
  say,
  shown,
  speaks,
  type,
  up,
} from './support/chat-screen.ts'
import { agentFile, createProject, delegate, deployTool, report } from './support/project.ts'
import { hasScript, isRestored } from './support/terminal.ts'

const it = hasScript ? sampled(6) : test.skip
it('a conversation shows the recipient in the prompt, and restores the terminal at the end', async () => {
  const project = openSpeakingChat()
  const terminal = await open(project)
  expect(shown(terminal.screen())).toContain('Chatting with lead.')
  // Nothing is on disk before the first message.
  expect(project.exists('.cadre/sessions')).toBe(false)
  await say(terminal, 'Hello.\r', 'lead 1 heard <Hello.>')
  await say(terminal, 'Again.\r', 'lead 2 heard <Again.>')
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(0)
  expect(isRestored(terminal.screen())).toBe(true)
  expect(shown(terminal.screen())).toMatch(/Resume this chat with: cadre chat --resume lead-\w+/)
  expect(bracketedPaste(terminal.screen())).toBe(false)
  expect(project.sessions()).toHaveLength(1)
})

it('the arrow keys restore messages, of this chat and earlier ones, except after a space', async () => {
  const project = openSpeakingChat()
  const first = await open(project)
  await say(first, 'One.\r', 'heard <One.>')
  await say(first, '/agents\r', 'AGENT')
  await say(first, ' my secret\r', 'heard <my secret>')
  await say(first, `${up}${up}\r`, 'lead 3 heard <One.>')
  first.type(ctrlD)
  await first.ended()
  const file = project.at('.cadre/storage/chat-history')
  expect(readFileSync(file, 'utf8')).toBe('"One."\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)

  const second = await open(project)
  await say(second, `${up}\r`, 'lead 1 heard <One.>')
  second.type(ctrlD)
  await second.ended()
})

it('several lines are one message: with a backslash, or pasted', async () => {
  const terminal = await open(openSpeakingChat())
  await say(terminal, 'one \\\rtwo\r', 'lead 1 heard <one two>')
  await say(terminal, `${pasted('three\r\tfour\r\nfive')}!\r`, 'lead 2 heard <three four five!>')
  const long = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n')
  terminal.type(`See ${pasted(long)}`)
  await terminal.until((screen) => shown(screen).includes('See [pasted 1: 40 lines]'))
  await say(terminal, '\r', 'line 39>')
  expect(shown(terminal.screen())).toContain('lead 3 heard <See line 0 line 1 ')
  await say(terminal, `${up}\x7f\x7f!\r`, 'line !>')
})

it('a message sent while agents work is delivered with their next round', async () => {
  const terminal = await openBusyChat()
  terminal.type(`fixx\x7f${pasted('\nall\nof it')}\r`)
  await terminal.until((screen) => shown(screen).includes('↳ fix all of it (sent with the next round)'))
  terminal.type(`${continueKey}`)
  await terminal.until((screen) => isAsking(shown(screen), 'lead>'))
  const text = shown(terminal.screen())
  // In order, and once each.
  expect(text).toMatch(/lead> Work\.\n→ hold\n\n> fix\nall\nof it\n2 heard <held fix all of it>\n/)
  expect(text.match(/heard/g)).toHaveLength(1)
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(0)
})

it('unsent text stays in the input line, and commands wait for the end of the turn', async () => {
  const terminal = await openBusyChat()
  terminal.type(`/history\rhalf${continueKey}`)
  await terminal.until((screen) => isAsking(shown(screen), 'lead> half'))
  expect(shown(terminal.screen())).toMatch(/2 heard <held>.*lead> \/history\n.*> Work\./s)
})

it('Ctrl-C stops the turn and keeps typed text', async () => {
  const terminal = await openBusyChat()
  terminal.type(`half a line${ctrlC}`)
  await terminal.until((screen) => isAsking(shown(screen), 'lead> half a line'))
  expect(shown(terminal.screen())).toContain('Stopped. Type a message')
  terminal.type(`\x15${ctrlD}`)
  expect(await terminal.ended()).toBe(130)
})

/** A reply that starts immediately, but never ends. */
const endless = {
  choose: [
    { when: { matches: '/Stop, keep/' }, reply: 'As you like.' },
    { reply: '**Deleting** the file\n\nnow', stream: { pieces: 2, every: 3_600_000 } },
  ],
}

it('Esc interrupts a reply, delivers the typed text, and the agent continues', async () => {
  const project = createProject({ ...agentFile('lead'), 'p.yaml': { lanes: { lead: [endless] } } })
  const terminal = await open(project)
  terminal.type('Clean up.\r')
  await terminal.until((screen) => /Deleting\b.*\n.*replying/s.test(shown(screen)))
  terminal.type('Stop, keep it.')
  await terminal.until((screen) => shown(screen).includes('Esc: interrupt'))
  await say(terminal, '\x1b', 'As you like.')
  expect(shown(terminal.screen())).toMatch(
    /Deleting\b.*\n\(interrupted\)\n.*> Stop, keep it\.\n.*As you like/s,
  )
  const [session = ''] = project.sessions()
  const journal = project.read(`.cadre/sessions/${session}.session.yaml`)
  expect(journal).toContain('The user interrupted your reply.')
  expect(journal.match(/role: assistant/g)).toHaveLength(1)
})

it('Esc without a text stops the turn', async () => {
  const terminal = await open(
    createProject({ ...agentFile('lead'), 'p.yaml': { lanes: { lead: [endless] } } }),
  )
  terminal.type('Clean up.\r')
  await terminal.until((screen) => shown(screen).includes('replying'))
  await say(terminal, '\x1b', 'Stopped. Type a message, or /resume to continue.')
})

it('a reply streams as Markdown, and the rest adapts to a new screen width', async () => {
  const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ')
  const reply = `# Title\n\n${words}\n\n- **bold** item\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n${words} end`
  const project = createProject({
    ...agentFile('lead'),
    'p.yaml': { lanes: { '*': { default: { reply, stream: 60 } } } },
  })
  const terminal = await open(project)
  await say(terminal, 'Go.\r', 'word39 end')
  const text = shown(terminal.screen())
  expect(text).toMatch(/Title\n\nword0 .*word14\nword15 .*\n\n• bold item\n\na │ b\n──┼──\n1 │ 2\n\nword0 /s)
  expect(terminal.screen()).toContain('\x1b[1mbold\x1b[22m')
  expect(text.match(/word39 end/g)).toHaveLength(1)
  await terminal.resize(60, 20)
  await type(terminal, 'Again.\r', (more) => /word9\nword10 .*word39 end/s.test(more))
})

const edits = {
  ...agentFile('lead'),
  'a.txt': 'one\ntwo\nthree\n',
  'p.yaml': {
    lanes: {
      lead: [
        { calls: [{ tool: 'edit_file', input: { path: 'a.txt', old: 'two', new: '2' } }] },
        { calls: [{ tool: 'execute_command', input: { command: 'seq 1 40' } }] },
        { reply: 'Done.' },
      ],
    },
  },
}

it('edits are shown as diffs before and after the approval; long output is shortened and can be expanded', async () => {
  const terminal = await open(createProject(edits))
  terminal.type('Edit it.\r')
  const diff = 'Edit a.txt +1 -1\n  1   one\n  2 - two\n  2 + 2\n  3   three'
  await terminal.until((screen) => shown(screen).endsWith('Enter to decide later:'))
  expect(shown(terminal.screen())).toContain(`  ${diff}`)
  expect(terminal.screen()).toContain('\x1b[32m2 + 2\x1b[39m')
  await say(terminal, '1\r', 'Done.')
  expect(shown(terminal.screen())).toContain(`● ${diff}`)
  expect(shown(terminal.screen())).toContain(
    '● $ seq 1 40\n  1\n  2\n  … 34 lines hidden · Ctrl-O to show\n  37\n  38\n  39\n  40\n\nDone.',
  )
  await say(terminal, '\x0f', '\n  20\n  21\n')
})

it('attaches files, runs shell commands, and shows the status', async () => {
  const project = createProject({ ...agentFile('lead'), 'notes.md': 'secret plan\n', 'p.yaml': speaks })
  const terminal = await open(project)
  await say(terminal, '!echo from the shell; exit 3\r', 'from the shell\nexit code 3')
  await say(terminal, 'See @not\t.\r', 'File notes.md:')
  expect(shown(terminal.screen())).toMatch(
    /secret plan.*The user ran `?echo from the shell; exit 3`? \(exit code 3\)/s,
  )
  expect(shown(terminal.screen()).split('\n').at(-1)).toMatch(/^scripted:\S*p\.yaml .*\/help$/)
  await say(terminal, '/cost\r', 'See @notes.md')
  await say(terminal, '/sessions\r', 'See @notes.md')
})

it('Ctrl-C at the prompt clears the text, then explains how to exit, then exits', async () => {
  const project = openSpeakingChat()
  const terminal = await open(project)
  terminal.type('half a line')
  await terminal.until((screen) => isAsking(shown(screen), 'lead> half a line'))
  terminal.type(ctrlC)
  await terminal.until((screen) => isAsking(shown(screen), 'lead>'))
  await say(terminal, ctrlC, 'Press Ctrl-C again to exit')
  await say(terminal, 'Still here.\r', 'heard <Still here.>')
  await say(terminal, ctrlC, 'Press Ctrl-C again to exit')
  terminal.type(ctrlC)
  expect(await terminal.ended()).toBe(0)
  expect(bracketedPaste(terminal.screen())).toBe(false)
})

const slow = (worker: object) => ({
  lanes: {
    lead: [{ calls: [delegate('worker')] }, { reply: 'Now: {{last}}' }],
    worker: [worker],
  },
})

it('Ctrl-C stops the working agents and returns; the next message is answered without them', async () => {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    'p.yaml': slow({ hang: true }),
  })
  const terminal = await open(project)
  terminal.type('Do it.\r')
  await terminal.answers((screen) => screen.includes('worker') && screen.includes('round 1'))
  await say(terminal, ctrlC, 'Stopped. Type a message, or /resume to continue.')
  expect(isRestored(terminal.screen())).toBe(true)
  await say(terminal, 'Something else.\r', 'Something else.\n')
  expect(shown(terminal.screen())).toMatch(/Now: worker was cancelled.*Something else\./s)
  expect(project.sessions()).toHaveLength(2)
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(0)
})

it('a termination signal is not treated as Ctrl-C: at the prompt and in a turn it exits cleanly', async () => {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    'p.yaml': slow({ hang: true }),
  })
  const idle = await open(project)
  process.kill(idle.pid(), 'SIGTERM')
  expect(await idle.ended()).toBe(0)
  expect(bracketedPaste(idle.screen())).toBe(false)
  const busy = await open(project)
  busy.type('Do it.\r')
  await busy.answers((screen) => screen.includes('worker') && screen.includes('round 1'))
  process.kill(busy.pid(), 'SIGTERM')
  expect(await busy.ended()).toBe(130)
  expect(isRestored(busy.screen())).toBe(true)
  const shown = await project.cadre(['sessions', 'list', '--json'])
  expect(shown.json()[0]).toMatchObject([{ status: 'error' }, { status: 'error' }])
})

it('Ctrl-C, then /resume continues the turn', async () => {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    'p.yaml': slow({ hang: true }),
  })
  const terminal = await open(project)
  terminal.type('Do it.\r')
  await terminal.answers((screen) => screen.includes('worker') && screen.includes('round 1'))
  await say(terminal, ctrlC, 'Stopped.')
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(130)

  project.write('p.yaml', slow(report('worker is done')))
  const again = await open(project, '--resume')
  expect(shown(again.screen())).toMatch(
    /> Do it\.\n.*The last turn was stopped\. Type \/resume to continue it/s,
  )
  await say(again, '/resume\r', 'Now: Report of worker:\n\nworker is done')
  await say(again, '/tree\r', '└─✓ worker')
  again.type(ctrlD)
  expect(await again.ended()).toBe(0)
})

const planning = {
  ...agentFile('plan', {
    handoffs: [
      { label: 'Start', agent: 'builder', prompt: 'Build it.', send: true },
      { label: 'Edit', agent: 'Builder', prompt: 'Build it\nslowly' },
    ],
  }),
  ...agentFile('builder'),
  '.cadre/config.yaml': { entry: 'plan' },
  'p.yaml': speaks,
}

it('a handoff is filled in, can be changed or cancelled, and reaches its target', async () => {
  const terminal = await open(createProject(planning))
  await say(terminal, 'Plan it.\r', '2 Edit → Builder', 'plan')
  terminal.type('2\r')
  await terminal.until((screen) => /builder> Build it\nslowly\n.*$/.test(shown(screen)))
  await say(terminal, ctrlC, 'Handoff cancelled.', 'plan')
  terminal.type('/handoff 1 fill\r')
  await terminal.until((screen) => isAsking(shown(screen), 'builder> Build it.'))
  // Back to the start of the line, with a word added there.
  await say(terminal, '\x01Now: \r', 'builder 1 heard <Now: Build it.>', 'builder')
  await say(terminal, '@plan\r', 'Chatting with plan.', 'plan')
  await say(terminal, 'Again.\r', 'plan 1 heard <Again.>', 'plan')
  await say(terminal, '1\r', 'builder 1 heard <Build it.>', 'builder')
  await say(terminal, '/history\r', '> Now: Build it.', 'builder')
})

it('decisions are requested at the prompt; a postponed one is requested again', async () => {
  const project = createProject({
    ...agentFile('lead'),
    ...deployTool,
    'p.yaml': {
      lanes: {
        lead: [{ calls: [{ tool: 'deploy', input: { to: 'production' } }] }, { reply: 'Result: {{last}}' }],
      },
    },
  })
  const terminal = await open(project, '--trust')
  terminal.type('Deploy it.\r')
  await terminal.answers((screen) => screen.includes('1 approve · 2 reject'))
  await say(terminal, '\r', 'A decision is pending. Type /resume to see the question again.')
  terminal.type('/resume\r')
  await terminal.answers((screen) => screen.includes('1 approve · 2 reject'))
  await say(terminal, '1\r', 'Result: it is live')
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(0)
})

it('text typed before a question does not answer it', async () => {
  const terminal = await openBusyChat({
    calls: [{ tool: 'web_fetch', input: { url: 'https://example.invalid/' } }],
  })
  terminal.type(`1${continueKey}`)
  await terminal.until((screen) => shown(screen).endsWith('Enter to decide later:'))
  expect(shown(terminal.screen())).not.toContain('heard')
  terminal.type('3 not now\r')
  await terminal.until((screen) => isAsking(shown(screen), 'lead> 1'))
  expect(shown(terminal.screen())).toContain('3 heard <rejected by tester: not now>')
})

it('Ctrl-C at a question stops the turn', async () => {
  const project = createProject({
    ...agentFile('lead'),
    'p.yaml': {
      lanes: {
        lead: [
          { calls: [{ tool: 'web_fetch', input: { url: 'https://example.invalid/' } }] },
          { reply: 'Then: {{last}}' },
        ],
      },
    },
  })
  const terminal = await open(project)
  terminal.type('Look.\r')
  await terminal.answers((screen) => screen.includes('1 approve · 2 approve-session · 3 reject'))
  await say(terminal, ctrlC, 'Stopped.')
  await say(terminal, 'Leave it.\r', 'Leave it.\n')
  expect(shown(terminal.screen())).toContain('Then: The user stopped this call before it started.')
})

it('hostile names, labels, prompts and history do not reach the terminal', async () => {
  const hostile = 'x\x1b[2J\x1b]0;owned\x07y\u202ez'
  const project = createProject({
    ...agentFile('lead', { handoffs: [{ label: hostile, agent: 'lead', prompt: `${hostile}\n${hostile}` }] }),
    'p.yaml': { lanes: { '*': { default: { reply: hostile } } } },
    '.cadre/storage/chat-history': `${JSON.stringify(hostile)}\nnot json\n{}\n`,
  })
  const terminal = await open(project)
  terminal.type(up)
  await terminal.until((screen) => isAsking(shown(screen), 'lead> xyz'))
  await say(terminal, `${pasted(hostile)}\r`, '1 xyz → lead')
  terminal.type('1\r')
  await terminal.until((screen) => /lead> xyz\nxyz\n.*$/.test(shown(screen)))
  await say(terminal, '\r', 'xyz')
  expect(terminal.screen()).not.toContain('\x1b[2J')
  expect(terminal.screen()).not.toContain('\x1b]')
  expect(terminal.screen()).not.toContain('\u202e')
})

it('the history is bounded, and a link in its place is ignored', async () => {
  const project = openSpeakingChat()
  const old = Array.from({ length: 700 }, (_, index) => `${JSON.stringify(`old ${index}`)}\n`)
  project.write('.cadre/storage/chat-history', old.join(''))
  const terminal = await open(project)
  await say(terminal, 'new\r', 'heard <new>')
  terminal.type(ctrlD)
  await terminal.ended()
  const lines = project.read('.cadre/storage/chat-history').trimEnd().split('\n')
  expect(lines).toHaveLength(500)
  expect(lines.at(-1)).toBe('"new"')
  expect(lines.at(-2)).toBe('"old 699"')
  expect(statSync(project.at('.cadre/storage/chat-history')).mode & 0o777).toBe(0o600)

  const other = openSpeakingChat()
  other.write('precious', 'mine\n')
  other.write('.cadre/storage/keep', '')
  symlinkSync(other.at('precious'), other.at('.cadre/storage/chat-history'))
  const linked = await open(other)
  await say(linked, 'new\r', 'heard <new>')
  linked.type(ctrlD)
  expect(await linked.ended()).toBe(0)
  expect(other.read('precious')).toBe('mine\n')
})

it('Tab completes commands and agents', async () => {
  const terminal = await open(
    createProject({ ...agentFile('lead'), ...agentFile('reviewer'), 'p.yaml': speaks }),
  )
  await say(terminal, '/hist\t\r', 'No messages yet.')
  await say(terminal, '@rev\tHello.\r', 'reviewer 1 heard <Hello.>', 'reviewer')
})

it('the entry agent’s text and calls stay visible, in order, and its last text appears once', async () => {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    'a.txt': 'x\n',
    'p.yaml': {
      lanes: {
        lead: [
          {
            reply: 'First I look.',
            calls: [
              { tool: 'read_file', input: { path: 'a.txt' } },
              { tool: 'read_file', input: { path: 'gone.txt' } },
              delegate('worker'),
            ],
          },
          { reply: 'That is all.' },
        ],
        worker: [
          { reply: 'Nobody reads this.', calls: [{ tool: 'read_file', input: { path: 'a.txt' } }] },
          report('ok'),
        ],
      },
    },
  })
  const terminal = await open(project)
  await say(terminal, 'Go.\r', 'That is all.')
  const screen = shown(terminal.screen())
  expect(screen).toMatch(
    /First I look\.\n\n→ read_file a\.txt\n✗ read_file gone\.txt {2}failed: .*\n→ delegateWork worker {2}completed\n\nThat is all\.\n\n✓ lead .*└─✓ worker/s,
  )
  expect(screen.match(/That is all\./g)).toHaveLength(1)
  expect(screen).not.toContain('Nobody reads this.\n')
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(0)
})

test.skipIf(!hasScript)(
  'a second Ctrl-C exits immediately, leaves no frame behind, and shows how to resume the chat',
  async () => {
    const project = createProject({
      ...agentFile('lead'),
      '.cadre/stuck.mjs': `export const stuck = { name: 'stuck', description: 'x', class: 'read', effect: 'read',
        input: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
        parameters: { type: 'object' }, run: () => new Promise(() => {}) }`,
      '.cadre/config.yaml': { tools: ['stuck.mjs'] },
      'p.yaml': { lanes: { lead: [{ calls: [{ tool: 'stuck', input: {} }] }] } },
    })
    const terminal = await open(project, '--trust')
    terminal.type('Work.\r')
    await terminal.until((screen) => shown(screen).includes('round 1 · stuck'))
    terminal.type(ctrlC)
    await terminal.until((screen) => shown(screen).includes('Press Ctrl-C again to exit immediately.'))
    terminal.type(ctrlC)
    expect(await terminal.ended()).toBe(130)
    expect(isRestored(terminal.screen())).toBe(true)
    expect(bracketedPaste(terminal.screen())).toBe(false)
    const text = shown(terminal.screen())
    // The last line: a shell prints its prompt below it.
    expect(text.trimEnd()).toMatch(
      new RegExp(`\\nResume this chat with: cadre chat --resume ${project.sessions()[0]} --trust$`),
    )
    expect(text).not.toContain('─────')
    expect(text).not.toContain('round 1 · stuck')
  },
)
