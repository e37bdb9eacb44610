import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'

const host = vi.hoisted(() => {
  const shown: unknown[][] = []
  const show = async (...given: unknown[]) => void shown.push(given)
  return {
    shown,
    api: {
      window: { showInformationMessage: show, showWarningMessage: show, showErrorMessage: show },
    },
  }
})
vi.mock('vscode', () => host.api)
// Other test files have loaded these with their own VS Code mock.
vi.resetModules()
const {
  askInDialog: ask,
  showError: complain,
  showInfo: inform,
  showWarning: warn,
} = await import('./messages.ts')

test('no message has a link, whatever it quotes', async () => {
  const link = 'The entry agent "[Fix it](command:workbench.action.tasks.build)" is not there.'
  for (const show of [inform, warn, complain]) await show(link, 'Open Settings')
  await ask(link, 'detail', 'Replace')
  const plain = 'The entry agent "[Fix it] (command:workbench.action.tasks.build)" is not there.'
  expect(host.shown).toEqual([
    [plain, 'Open Settings'],
    [plain, 'Open Settings'],
    [plain, 'Open Settings'],
    [plain, { modal: true, detail: 'detail' }, 'Replace'],
  ])
})

test('only this module shows messages directly, unless the text is made plain there', () => {
  const calls = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ts$/.test(file) && !/\.test\.ts$/.test(file) && file !== 'messages.ts')
    .flatMap((file) => {
      const text = readFileSync(path.join(import.meta.dirname, file), 'utf8')
      return directCalls(text).map((call) => `${file.replaceAll('\\', '/')}: ${call}`)
    })
  expect(calls).toEqual([])
})

/** `word` is one of the own helpers. */
function directCalls(text: string): string[] {
  const calls = text.match(/show(?:Information|Warning|Error)Message\b\s*\(?\s*[^\n]*/g) ?? []
  return calls.filter((call) => !/Message\(\s*(?:plainMessage\(|`\$\{word\}\. [^$`]*`)/.test(call))
}
