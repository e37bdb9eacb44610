import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openHome } from '@cadre/home'
import { expect, onTestFinished, test } from 'vitest'
import { makeHomeWorkspace } from './make-home-workspace.ts'

test('makes folders in workspaces of the home, and no others', () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const home = openHome({ home: path.join(folder, '.cadre'), cwd: folder, env: {} })
  const lead = home.at('workspaces', 'lead')
  makeHomeWorkspace(home, { workspace: lead })
  makeHomeWorkspace(home, { workspace: lead })
  expect(existsSync(lead)).toBe(true)
  const elsewhere = path.join(folder, 'elsewhere')
  makeHomeWorkspace(home, { workspace: elsewhere })
  expect(existsSync(elsewhere)).toBe(false)
  const own = home.at('workspaces', 'lead-1')
  makeHomeWorkspace(home, { workspace: own, isolation: { kind: 'own', base: folder } as never })
  expect(existsSync(own)).toBe(false)
})
