import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findPromptFiles } from './find-prompt-files.ts'

test('uses no prompt whose name a terminal would interpret', () => {
  const workspace = mkdtempSync(path.join(tmpdir(), 'cadre-prompts-'))
  const folder = path.join(workspace, '.claude/commands')
  mkdirSync(folder, { recursive: true })
  for (const name of [
    'fix',
    'Code Review',
    'v1.2_é',
    'evil\x1b]0;title\x07',
    'bidi\u202e',
    '!rm',
    'x'.repeat(65),
  ])
    writeFileSync(path.join(folder, `${name}.md`), 'Do it.')
  const { prompts, diagnostics } = findPromptFiles({ workspace, userHome: path.join(workspace, 'nobody') })
  expect(prompts.map(({ name }) => name).sort()).toEqual(['code-review', 'fix', 'v1.2_é'])
  expect(diagnostics).toHaveLength(4)
})
