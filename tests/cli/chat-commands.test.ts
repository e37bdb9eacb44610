import { expect, test } from 'vitest'
import { VirtualScreen } from '../../packages/cli/src/output/virtual-screen.spec-helpers.ts'
import { sampled } from '../support/amount.ts'
import { ctrlD, isAsking, open, openAt, say, shown } from './support/chat-screen.ts'
import { agentFile, createProject } from './support/project.ts'
import { hasScript, openTerminal, type Terminal } from './support/terminal.ts'

const it = hasScript ? sampled(3) : test.skip
const esc = '\x1b'

it('/undo takes the changes of the last turn back when the person agrees, and /redo restores them', async () => {
  const project = createProject({
    ...agentFile('lead'),
    'a.txt': 'one\n',
    'p.yaml': {
      lanes: {
        lead: {
          steps: [{ calls: [{ tool: 'write_file', input: { path: 'a.txt', content: 'two\n' } }] }],
          default: { reply: 'Heard <{{last}}>' },
        },
      },
    },
  })
  const terminal = await open(project, '--allow', 'write')
  await say(terminal, 'Change it.\r', 'Heard')
  expect(project.read('a.txt')).toBe('two\n')
  const asked = (question: string) => terminal.answers((screen) => shown(screen).includes(question))
  terminal.type('/undo\r')
  await asked('Undo these changes? y/N>')
  await say(terminal, 'n\r', 'Nothing was changed.')
  terminal.type('/undo\r')
  await asked('Undo these changes? y/N>')
  await say(terminal, esc, 'Nothing was changed.')
  expect(project.read('a.txt')).toBe('two\n')
  terminal.type('/undo\r')
  await asked('change  a.txt  +1 -1')
  await say(terminal, 'y\r', 'Undone: 1 file restored. Restore the changes with "/redo".')
  expect(project.read('a.txt')).toBe('one\n')
  await say(terminal, 'What now?\r', 'The user has undone the file changes')
  terminal.type('/redo\r')
  await asked('Restore these changes? y/N>')
  await say(terminal, 'y\r', 'Redone: 1 file restored.')
  expect(project.read('a.txt')).toBe('two\n')
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(0)
})

it('/config shows settings with their files, and no secret', async () => {
  const project = createProject({
    ...agentFile('lead'),
    'p.yaml': { lanes: { lead: [] } },
    '.cadre/config.yaml': { entry: 'lead', limits: { sessions: 7 } },
    '.config/cadre/config.yaml': { openai: { keyCommand: 'pass show my-key' } },
  })
  const terminal = await open(project)
  await say(terminal, '/config\r', 'limits.sessions')
  const text = shown(terminal.screen())
  expect(text).toMatch(/limits\.sessions +7 +\S*\.cadre\/config\.yaml/)
  expect(text).toMatch(/openai\.keyCommand +\(set\) +\S*\.config\/cadre\/config\.yaml/)
  expect(text).not.toContain('my-key')
})

/** What a terminal shows that was resized: up to the moment at which the command noticed, it has the old width. */
function afterResizes(terminal: Terminal, widths: readonly [from: number, columns: number][]): string[] {
  const output = terminal.screen()
  const drawn = new VirtualScreen(widths[0]?.[1] ?? 80, 1000)
  let start = 0
  for (const [from, columns] of widths.slice(1)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: how the frame is taken away.
    const found = output.slice(from).search(/(?:\x1b\[\d+A)?\r\x1b\[J/)
    if (found < 0) return []
    const at = from + found
    drawn.write(clean(output.slice(start, at)))
    drawn.resize(columns, 1000)
    start = at
  }
  drawn.write(clean(output.slice(start)))
  return drawn.shown()
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: only keyboard-mode sequences.
const clean = (output: string) => output.replace(/\x1b\[(?!\d*[ABCJKm])[\d;?]*[A-Za-z]/g, '')

it('a resize within a turn leaves no line behind and breaks no word', async () => {
  const words = Array.from({ length: 60 }, (_, index) => `word${index}`)
  const reply = { reply: `${words.join(' ')} end`, stream: { pieces: 2, every: 3_600_000 } }
  const project = createProject({ ...agentFile('lead'), 'p.yaml': { lanes: { lead: [reply] } } })
  const terminal = await openAt({ columns: 80, rows: 40 }, project)
  terminal.type('Go.\r')
  await terminal.until((screen) => /word20\b.*replying/s.test(shown(screen)))
  const widths: [number, number][] = [[0, 80]]
  for (const columns of [40, 200, 80]) {
    widths.push([terminal.screen().length, columns])
    await terminal.resize(columns, 40)
    const isDrawn = (line: string) => /^─+$/.test(line) && line.length === columns - 1
    await terminal.until(
      (screen) => screen.endsWith('\x1b[?2026l') && afterResizes(terminal, widths).some(isDrawn),
    )
    const lines = afterResizes(terminal, widths)
    expect(lines.filter((line) => line.includes('─'))).toEqual(['─'.repeat(columns - 1)])
    expect(lines.filter((line) => line.startsWith('lead>'))).toHaveLength(2)
    expect(lines.join('\n').match(/replying/g)).toHaveLength(1)
    // Lines above the turn are not changed: the terminal wraps them.
    const own = lines.slice(lines.indexOf('lead> Go.'))
    expect(Math.max(...own.map((line) => line.length))).toBeLessThan(columns)
    const shownWords = lines.join(' ').match(/word\S*/g) ?? []
    expect(shownWords).toEqual(words.slice(0, shownWords.length))
    expect(shownWords.length).toBeGreaterThan(20)
  }
})

it.each([80, 40])('breaks no word of notes, errors and approvals at %i columns', async (columns) => {
  const project = createProject({
    ...agentFile('lead'),
    'p.yaml': {
      lanes: {
        lead: {
          steps: [{ calls: [{ tool: 'web_fetch', input: { url: 'https://example.invalid/' } }] }],
          default: { reply: 'Heard.' },
        },
      },
    },
  })
  const terminal = await openAt({ columns, rows: 40 }, project)
  const isAskingNow = () => isAsking(shown(terminal.screen()), 'lead>')
  terminal.type('/histroy and more\r')
  await terminal.until((screen) => shown(screen).includes('type //') && isAskingNow())
  terminal.type('Look.\r')
  await terminal.until((screen) => shown(screen).endsWith('decide later:'))
  const text = shown(terminal.screen())
  // The reason is given once.
  expect(text.replace(/\s+/g, ' ').match(/the call sends data outside this machine/g)).toHaveLength(1)
  expect(text).toContain('Risk: MEDIUM\n')
  // The agent's action is shown unchanged.
  const own = text.split('\n').filter((line) => !line.includes('Arguments:'))
  for (const line of own) expect(line.length, line).toBeLessThanOrEqual(columns)
  for (const word of ['Chatting with lead.', 'unknown command', 'outside this machine'])
    expect(text.replace(/\s+/g, ' ')).toContain(word)
})

it('folds errors of a command in a terminal, but no command to copy, and nothing in a pipe', async () => {
  const project = createProject(agentFile('lead'))
  const args = ['sessions', 'show', 'nobody']
  const terminal = openTerminal(project, args, { columns: 40 })
  expect(await terminal.ended()).toBe(2)
  const lines = terminal.screen().replaceAll('\r', '').trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.join(' ')).toContain('there is no session')
  expect(lines.some((line) => line.includes('"cadre sessions list"'))).toBe(true)
  const { stderr } = await project.cadre(args)
  expect(stderr.trimEnd().split('\n')).toEqual([lines.join(' ')])
})

it('suggests commands and files while the person types', async () => {
  const project = createProject({ ...agentFile('lead'), 'p.yaml': { lanes: {} }, 'docs/chat.md': 'x\n' })
  const terminal = await openAt({ columns: 40, rows: 20 }, project)
  terminal.type('/co')
  await terminal.until((screen) => shown(screen).includes('  /cost'))
  // Each description is cut, so that the line fits the window.
  expect(shown(terminal.screen()).split('\n').slice(-5)).toEqual([
    'lead> /co',
    expect.stringMatching(/^ {2}\/compact {2}\w.{25}…$/),
    expect.stringMatching(/^ {2}\/config {3}\w.{25}…$/),
    expect.stringMatching(/^ {2}\/cost {5}\w.{25}…$/),
    'scripted:p.yaml                   /help',
  ])
  terminal.type('\x7f\x7f\x7fsee @chat')
  await terminal.until((screen) => /lead> see @chat\n {2}@docs\/chat\.md\n/.test(shown(screen)))
  terminal.type('\x1b[B\r')
  await terminal.until((screen) => isAsking(shown(screen), 'lead> see @docs/chat.md'))
})
