import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openGrants } from '@cadre/home'
import { expect, onTestFinished, test } from 'vitest'
import { userPaths } from './user-paths.ts'
import { withRecordedGrant } from './with-recorded-grant.ts'

test('an ambiguous prefix gets no grant', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-granted-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const io = { env: { HOME: path.join(folder, 'user') }, cwd: folder, warn: () => {} }
  const home = path.join(folder, '.cadre')
  mkdirSync(path.join(home, 'sessions'), { recursive: true })
  for (const id of ['lead-a', 'lead-b']) writeFileSync(path.join(home, 'sessions', `${id}.session.yaml`), '')
  const trust = [{ path: '/project/hook.json', sha256: 'abc' }]
  openGrants(userPaths(io.env).grants).add(home, 'lead-a', { allow: [], trust })
  expect(withRecordedGrant(io, { home }, 'lead-a')).toEqual({ home, granted: trust })
  expect(withRecordedGrant(io, { home }, 'lead-b')).toEqual({ home })
  expect(withRecordedGrant(io, { home }, 'lead')).toEqual({ home })
})
