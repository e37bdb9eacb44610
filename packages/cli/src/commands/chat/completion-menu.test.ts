import { expect, it } from 'vitest'
import { createStyle } from '../../output/style.ts'
import { textWidth } from '../../output/text-width.ts'
import { CompletionMenu } from './completion-menu.ts'
import { createCompleter } from './create-completer.ts'
import { bestMatches } from './file-index.ts'
import { createKeyReader } from './key-reader.ts'
import { MessageEditor } from './message-editor.ts'

const plain = createStyle(false)
const [up, down, esc] = ['\x1b[A', '\x1b[B', '\x1b']
const commands = [
  { name: 'agents', about: 'list the agents' },
  { name: 'agent', about: 'switch to an agent' },
  ...Array.from({ length: 9 }, (_, index) => ({ name: `b${index}`, about: 'x' })),
  { name: 'compact', about: 'summarise older rounds, so that requests get shorter' },
]
const files = ['README.md', 'docs/', 'docs/chat.md', 'src/', 'src/chat.ts', 'src/main.ts']

/** Types at the keyboard. Returns what is sent, if the menu did not handle Enter. */
function typed(input: string) {
  const editor = new MessageEditor()
  const like = (text: string, max: number) => bestMatches(files, text, max)
  const complete = createCompleter({
    workspace: '/nowhere',
    commands: () => commands,
    agents: () => ['@reviewer '],
    files: { like },
  })
  const menu = new CompletionMenu(editor, complete)
  let sent: string | undefined
  const reader = createKeyReader()
  for (const key of [...reader.read(input), ...reader.flush()]) {
    if (key.kind === 'text')
      for (const character of key.text) {
        editor.insert(character)
        menu.update()
      }
    else if (key.kind === 'key' && !menu.press(key.name)) {
      menu.close()
      if (key.name === 'enter') sent = editor.text
      else editor.press(key.name)
    }
  }
  const lines = (columns = 79) => menu.lines(columns, plain)
  return { text: editor.text, sent, lines, words: lines().map((line) => line.slice(2).split(' ')[0]) }
}

it('shows commands that start with the typed text, with descriptions', () => {
  expect(typed('/a').lines()).toEqual(['  /agents  list the agents', '  /agent   switch to an agent'])
  expect(typed('/').lines().at(-1)).toBe('  … 7 more')
  expect(typed('/nothing').lines()).toEqual([])
  expect(typed('see /a').lines()).toEqual([])
})

it('never changes what Enter sends, unless an entry was selected', () => {
  expect(typed('/agent\r')).toMatchObject({ sent: '/agent' })
  expect(typed(`/a${down}\r`)).toMatchObject({ sent: undefined, text: '/agents ' })
  expect(typed(`/a${down}${down}\r\r`)).toMatchObject({ sent: '/agent ' })
  expect(typed(`/a${up}\t`)).toMatchObject({ sent: undefined, text: '/agent ' })
  expect(typed('hello @READ\r')).toMatchObject({ sent: 'hello @READ' })
})

it('completes with Tab as far as it is unambiguous, then selects', () => {
  expect(typed('/comp\t').text).toBe('/compact ')
  expect(typed('/a\t').text).toBe('/agent')
  expect(typed('/a\t\t\t').text).toBe('/agents ')
  expect(typed('@READ\t').text).toBe('@README.md ')
})

it('closes with Esc and opens again with the next character', () => {
  expect(typed(`/a${esc}`).words).toEqual([])
  expect(typed(`/a${esc}`).text).toBe('/a')
  expect(typed(`/a${esc}\x1b[C`).words).toEqual([])
})

it('shows agents and files after an @, nearest first', () => {
  expect(typed('@').words).toEqual(['@reviewer', '@README.md', '@docs/', '@src/'])
  expect(typed('see @').words).toEqual(['@README.md', '@docs/', '@src/'])
  expect(typed('@chat').words).toEqual(['@docs/chat.md', '@src/chat.ts'])
  expect(typed('@ain').words).toEqual(['@src/main.ts'])
  // The contents of a folder follow its name.
  expect(typed('@sr\t').words).toEqual(['@src/chat.ts', '@src/main.ts'])
  expect(typed('me@doc').words).toEqual([])
})

it('fits a narrow screen', () => {
  const lines = typed('/').lines(20)
  expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(20)
  expect(typed('/comp').lines(20)).toEqual(['  /compact  summari…'])
})
