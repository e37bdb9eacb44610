import { readFileSync, statSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { VirtualScreen } from '../../packages/cli/src/output/virtual-screen.spec-helpers.ts'
import { agentFile, createProject, delegate, deployTool, type Project, report } from './support/project.ts'
import { hasScript, isRestored, openTerminal, type Terminal } from './support/terminal.ts'

const it = test.skipIf(!hasScript)
const chat = ['chat', '--model', 'scripted:p.yaml']
const speaks = { lanes: { '*': { default: { reply: '{{agent}} {{round}} heard <{{last}}>' } } } }
const up = '\x1b[A'
const ctrlC = '\x03'
const ctrlD = '\x04'
const pasted = (text: string) => `\x1b[200~${text}\x1b[201~`
const marksPastes = (screen: string) => screen.lastIndexOf('\x1b[?2004h') > screen.lastIndexOf('\x1b[?2004l')

/** What a person would read: without colours and other sequences. */
function plain(screen: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal.
  return screen.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r', '')
}

/** What is left on the screen in the end, however often it was painted meanwhile. */
function left(screen: string): string {
  const drawn = new VirtualScreen(100, 1000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what only moves within a line, or says something about the keyboard.
  drawn.write(screen.replace(/\x1b\[(?!\d*[AJKm])[\d;?]*[A-Za-z]/g, ''))
  return drawn.shown().join('\n')
}

/** Opens a chat and waits until it can be talked to. */
async function open(project: Project, ...flags: string[]): Promise<Terminal> {
  const terminal = openTerminal(project, [...chat, ...flags], { columns: 100, rows: 30 })
  await terminal.until((screen) => plain(screen).includes('Ctrl-D to exit.') && /\w> $/.test(plain(screen)))
  return terminal
}

/** Says something and waits for the answer and the next prompt. */
async function say(terminal: Terminal, keys: string, answer: string, prompt = 'lead'): Promise<void> {
  terminal.type(keys)
  await terminal.answers((screen) => plain(screen).includes(answer) && plain(screen).endsWith(`${prompt}> `))
}

function speaking(): Project {
  return createProject({ ...agentFile('lead'), 'p.yaml': speaks })
}

it('a conversation: the prompt says to whom, the terminal is given back at the end', async () => {
  const project = speaking()
  const terminal = await open(project)
  expect(plain(terminal.screen())).toContain('Chatting with lead.')
  // Nothing is on disk before anything was said.
  expect(project.exists('.cadre/sessions')).toBe(false)
  await say(terminal, 'Hello.\r', 'lead 1 heard <Hello.>')
  await say(terminal, 'Again.\r', 'lead 2 heard <Again.>')
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(0)
  expect(isRestored(terminal.screen())).toBe(true)
  expect(marksPastes(terminal.screen())).toBe(false)
  expect(project.sessions()).toHaveLength(1)
})

it('the arrow keys bring back what was said, here and in earlier chats, except after a space', async () => {
  const project = speaking()
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
  const terminal = await open(speaking())
  await say(terminal, 'one \\\rtwo\r', 'lead 1 heard <one \ntwo>')
  await say(terminal, `${pasted('three\r\tfour\r\nfive')}!\r`, 'lead 2 heard <three\n    four\nfive!>')
  const long = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n')
  terminal.type(`See ${pasted(long)}`)
  await terminal.answers((screen) => plain(screen).includes('See [pasted 1: 40 lines]'))
  await say(terminal, '\r', 'line 39>')
  expect(plain(terminal.screen())).toContain('lead 3 heard <See line 0\nline 1\n')
  await say(terminal, `${up}\x7f\x7f!\r`, 'line !>')
})

/** A key that changes nothing of a text, and that the tool below waits for: all that was typed before it has arrived then. */
const goOn = '\x02'
const hold = `export const hold = { name: 'hold', description: 'x', class: 'read', effect: 'read',
  input: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }, parameters: { type: 'object' },
  run: (input, context, signal) => new Promise((resolve, reject) => {
    const look = (typed) => {
      if (!String(typed).includes('\\x02')) return
      process.stdin.off('data', look)
      resolve({ content: 'held' })
    }
    process.stdin.on('data', look)
    signal.addEventListener('abort', () => { process.stdin.off('data', look); reject(new Error('stopped')) })
  }) }`

/** A chat in the middle of a turn, which goes on when that key is typed. */
async function busy(...steps: object[]): Promise<Terminal> {
  const project = createProject({
    ...agentFile('lead'),
    '.cadre/hold.mjs': hold,
    '.cadre/config.yaml': { tools: ['hold.mjs'] },
    'p.yaml': {
      lanes: {
        lead: {
          steps: [{ calls: [{ tool: 'hold', input: {} }] }, ...steps],
          default: { reply: '{{round}} heard <{{last}}>' },
        },
      },
    },
  })
  const terminal = await open(project, '--trust')
  terminal.type('Work.\r')
  await terminal.answers((screen) => plain(screen).includes('round 1 · hold'))
  return terminal
}

it('what is typed while agents work is not shown and not sent: it stands in the input line afterwards', async () => {
  const terminal = await busy()
  terminal.type(`fixx\x7f${up}${ctrlD} it\rand${pasted('\none\ntwo\nthree')}${goOn}`)
  await terminal.until((screen) => plain(screen).endsWith('lead> fix it␤and␤one␤two␤three'))
  const during = plain(terminal.screen()).split('lead> ')[1] ?? ''
  expect(during).not.toMatch(/fix|three|\^/)
  expect(during.match(/heard/g)).toHaveLength(1)
  await say(terminal, '!\r', '3 heard <fix it\nand\none\ntwo\nthree!>')
  // The same for what arrives together with a message.
  terminal.type('one\rtwo\rthree\rfo')
  await terminal.answers((screen) => /4 heard <one>.*lead> two␤three␤fo$/s.test(plain(screen)))
  await say(terminal, 'ur\r', '5 heard <two\nthree\nfour>')
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(0)
  expect(marksPastes(terminal.screen())).toBe(false)
})

it('Ctrl-C stops the turn although something was typed, which is kept', async () => {
  const terminal = await busy()
  terminal.type(`half a line${ctrlC}`)
  await terminal.answers((screen) => /Stopped\. Type a message.*lead> half a line$/s.test(plain(screen)))
  terminal.type(`\x15${ctrlD}`)
  expect(await terminal.ended()).toBe(130)
})

it('Ctrl-C at the prompt clears what is typed, then says how to leave, then leaves', async () => {
  const project = speaking()
  const terminal = await open(project)
  await say(terminal, `half a line${ctrlC}`, '')
  await say(terminal, ctrlC, 'Press Ctrl-C again to exit')
  await say(terminal, 'Still here.\r', 'heard <Still here.>')
  await say(terminal, ctrlC, 'Press Ctrl-C again to exit')
  terminal.type(ctrlC)
  expect(await terminal.ended()).toBe(0)
  expect(marksPastes(terminal.screen())).toBe(false)
})

const slow = (worker: object) => ({
  lanes: {
    lead: [{ calls: [delegate('worker')] }, { reply: 'Now: {{last}}' }],
    worker: [worker],
  },
})

it('Ctrl-C stops the agents at work and comes back; something else is answered without them', async () => {
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
  expect(plain(terminal.screen())).toMatch(/Now: worker was cancelled.*\n.*Something else\./s)
  expect(project.sessions()).toHaveLength(2)
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(0)
})

it('a signal to end is not taken for a Ctrl-C: at the prompt and in a turn it leaves, with everything in order', async () => {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    'p.yaml': slow({ hang: true }),
  })
  const idle = await open(project)
  process.kill(idle.pid(), 'SIGTERM')
  expect(await idle.ended()).toBe(0)
  expect(marksPastes(idle.screen())).toBe(false)
  const busy = await open(project)
  busy.type('Do it.\r')
  await busy.answers((screen) => screen.includes('worker') && screen.includes('round 1'))
  process.kill(busy.pid(), 'SIGTERM')
  expect(await busy.ended()).toBe(130)
  expect(isRestored(busy.screen())).toBe(true)
  const shown = await project.cadre(['sessions', 'list', '--json'])
  expect(shown.json()[0]).toMatchObject([{ status: 'error' }, { status: 'error' }])
})

it('Ctrl-C, then /resume goes on where it was', async () => {
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
  expect(plain(again.screen())).toMatch(
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

it('a handoff is filled in, can be changed or let go, and goes to its target', async () => {
  const terminal = await open(createProject(planning))
  await say(terminal, 'Plan it.\r', '2 Edit → Builder', 'plan')
  terminal.type('2\r')
  await terminal.answers((screen) => plain(screen).endsWith('builder> Build it␤slowly'))
  await say(terminal, ctrlC, 'Handoff cancelled.', 'plan')
  terminal.type('/handoff 1 fill\r')
  await terminal.answers((screen) => plain(screen).endsWith('builder> Build it.'))
  // Back to the beginning of the line, and a word in front.
  await say(terminal, '\x01Now: \r', 'builder 1 heard <Now: Build it.>', 'builder')
  await say(terminal, '@plan\r', 'Chatting with plan.', 'plan')
  await say(terminal, 'Again.\r', 'plan 1 heard <Again.>', 'plan')
  await say(terminal, '1\r', 'builder 1 heard <Build it.>', 'builder')
  await say(terminal, '/history\r', '> Now: Build it.', 'builder')
})

it('decisions are asked for at the prompt; one that is put off is asked for again', async () => {
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
  await say(terminal, '\r', 'A decision is pending. Type /resume to be asked again.')
  terminal.type('/resume\r')
  await terminal.answers((screen) => screen.includes('1 approve · 2 reject'))
  await say(terminal, '1\r', 'Result: it is live')
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(0)
})

it('what was typed before a question is no answer to it', async () => {
  const terminal = await busy({
    calls: [{ tool: 'web_fetch', input: { url: 'https://example.invalid/' } }],
  })
  terminal.type(`1\rapprove\r1${goOn}`)
  await terminal.answers((screen) => plain(screen).endsWith('Enter to decide later: '))
  expect(plain(terminal.screen())).not.toContain('heard')
  terminal.type('3 not now\r')
  await terminal.answers((screen) => plain(screen).endsWith('lead> 1␤approve␤1'))
  expect(plain(terminal.screen())).toContain('3 heard <rejected by tester: not now>')
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
  expect(plain(terminal.screen())).toContain('Then: The user stopped this call before it started.')
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
  await terminal.answers((screen) => plain(screen).includes('xyz'))
  await say(terminal, `${pasted(hostile)}\r`, '1 xyz → lead')
  terminal.type('1\r')
  await terminal.answers((screen) => plain(screen).endsWith('lead> xyz␤xyz'))
  await say(terminal, '\r', 'xyz')
  expect(terminal.screen()).not.toContain('\x1b[2J')
  expect(terminal.screen()).not.toContain('\x1b]')
  expect(terminal.screen()).not.toContain('\u202e')
})

it('the history is bounded, and a link in its place is left alone', async () => {
  const project = speaking()
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

  const other = speaking()
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

it('what the entry agent said and did stays in sight, in order, and its last words appear once', async () => {
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
  const screen = left(terminal.screen())
  expect(screen).toMatch(
    /First I look\.\n.*→ read_file a\.txt\n.*✗ read_file gone\.txt {2}failed: .*\n.*→ delegateWork worker {2}completed\n.*✓ lead .*That is all\./s,
  )
  expect(screen.match(/That is all\./g)).toHaveLength(1)
  expect(screen).not.toContain('Nobody reads this.\n')
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(0)
})
