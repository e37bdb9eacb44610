import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createPrivateFolder, removeFolder } from './private-folder.ts'

it('is below the home if the state folder is not an absolute path', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'cadre-private-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const relative = path.relative(process.cwd(), path.join(home, 'elsewhere'))
  const folder = createPrivateFolder({ HOME: home, XDG_STATE_HOME: relative }, 'acp')
  expect(path.dirname(folder)).toBe(path.join(home, '.local', 'state', 'cadre', 'acp'))
  removeFolder(folder)
})
