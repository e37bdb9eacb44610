import { symlinkSync, writeFileSync } from 'node:fs'
import { answers, startWire } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { sampled } from '../support/amount.ts'
import {
  continueKey,
  isAsking,
  open,
  openAt,
  openBusyChat,
  pasted,
  say,
  shown,
  speaks,
  up,
} from './support/chat-screen.ts'
import { agentFile, createProject } from './support/project.ts'
import { hasScript, type Terminal } from './support/terminal.ts'

const it = hasScript ? sampled(3) : test.skip
const folded = (text: string) => pasted(`${text}\n${'more\n'.repeat(20)}`)
/** The text on the screen, without line breaks. */
const flat = (terminal: Terminal) => shown(terminal.screen()).replace(/\s+/g, ' ')
/** The reply repeats the whole request with its attachments. */
const project = (files: Readonly<Record<string, string | object>>) =>
  createProject({ ...agentFile('lead'), 'p.yaml': speaks, 'notes.md': 'the plan\n', ...files })

it('attaches a file whose @ was typed, and none that is mentioned in pasted text', async () => {
  const terminal = await open(project({}))
  await say(terminal, 'See @notes.md.\r', 'Attached notes.md (1 line).')
  expect(flat(terminal)).toContain('File notes.md: the plan')
  await say(terminal, 'Update @types/node in @note.md\r', 'note.md was not attached: there is no such file.')
  expect(flat(terminal)).not.toContain('types/node was not attached')
  // Restored with the arrow key, it is the text that the person typed.
  await say(terminal, `${up}${up}\r`, 'lead 3 heard <See @notes.md.')
  await say(terminal, `A ${pasted('look at @notes.md now')}\r`, 'lead 4 heard <A look at @notes.md now>')
  expect(flat(terminal)).toContain(
    'notes.md was not attached, because you did not type its @. Type @notes.md to attach it.',
  )
  await say(terminal, `${up}\r`, 'lead 5 heard <A look at @notes.md now>')
  await say(terminal, `B @${folded('notes.md x @notes.md')}\r`, 'lead 6 heard <B @notes.md x @notes.md')
  expect(flat(terminal).match(/File notes\.md/g)).toHaveLength(2)
})

it('attaches no file for text of a handoff, a prompt file or an earlier chat, but one that is added to it', async () => {
  const terminal = await open(
    project({
      ...agentFile('lead', { handoffs: [{ label: 'Edit', agent: 'lead', prompt: 'H @notes.md' }] }),
      '.claude/commands/review.md': 'P @other.md',
      'other.md': 'other text\n',
      '.cadre/storage/chat-history': `${JSON.stringify('E @notes.md')}\n`,
    }),
  )
  await say(terminal, `${up}\r`, 'lead 1 heard <E @notes.md>')
  terminal.type('1\r')
  await terminal.until((screen) => isAsking(shown(screen), 'lead> H @notes.md'))
  await say(terminal, ' @other.md\r', 'Attached other.md (1 line).')
  expect(flat(terminal)).toContain('heard <H @notes.md @other.md File other.md:')
  expect(flat(terminal)).not.toContain('File notes.md')
})

it('attaches no file that the agent may not read, and explains why', async () => {
  const files = project({
    '.claude/settings.json': { permissions: { deny: ['Read(.env)'] } },
    '.env': 'TOKEN=hunter2\n',
  })
  symlinkSync('.env', files.at('harmless.txt'))
  const outside = project({ 'private.txt': 'hunter2\n' })
  const terminal = await open(files, '--trust')
  await say(terminal, 'A @.env\r', 'lead 1 heard <A @.env>')
  expect(flat(terminal)).toContain(
    '.env was not attached: a rule denies .env: permissions.deny contains "Read(.env)"',
  )
  await say(terminal, 'B @harmless.txt\r', 'lead 2 heard <B @harmless.txt>')
  expect(flat(terminal)).toContain('harmless.txt was not attached: a rule denies')
  await say(terminal, `C @${outside.at('private.txt')}\r`, 'lead 3 heard <C @')
  expect(flat(terminal)).toContain('is outside the workspace')
  expect(flat(terminal)).not.toContain('hunter2')
  writeFileSync(outside.at('shot.png'), Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
  await say(terminal, `D @${outside.at('shot.png')}\r`, 'lead 4 heard <D @')
  expect(flat(terminal)).toMatch(/Attached \S*shot\.png \(8 bytes\)/)
})

it('judges files in a message to working agents too', async () => {
  const terminal = await openBusyChat()
  terminal.type(`see @p.yaml ${pasted('and @.cadre/config.yaml')}\r`)
  await terminal.until((screen) => shown(screen).includes('Attached p.yaml'))
  terminal.type(continueKey)
  await terminal.until((screen) => isAsking(shown(screen), 'lead>'))
  expect(flat(terminal)).toContain('see @p.yaml and @.cadre/config.yaml File p.yaml: {')
  expect(flat(terminal)).toContain('.cadre/config.yaml was not attached')
  expect(flat(terminal)).not.toContain('hold.mjs')
})

it('sends an image to the model', async () => {
  const wire = await startWire(answers.reply({ text: 'A dot.' }))
  onTestFinished(wire.close)
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const files = createProject(agentFile('lead'))
  writeFileSync(files.at('my dot.png'), Buffer.from(png, 'base64'))
  const env = { OPENAI_BASE_URL: wire.url, CADRE_MODEL: 'openai:big' }
  const terminal = await openAt({ columns: 100, rows: 30, env }, files, ['chat'])
  await say(terminal, 'What is @"my dot.png"?\r', 'A dot.')
  expect(flat(terminal)).toMatch(/Attached my dot\.png \(\d+ bytes\)\./)
  const body = wire.requests[0]?.body as { messages: readonly { content: unknown }[] } | undefined
  expect(body?.messages.at(-1)?.content).toEqual([
    { type: 'text', text: 'What is @"my dot.png"?' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
  ])
})
