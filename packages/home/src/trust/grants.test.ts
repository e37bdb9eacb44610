import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openGrants } from './grants.ts'

test('a grant applies to the run in its content, whatever its file name', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-grants-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = path.join(folder, 'home')
  mkdirSync(home)
  const place = path.join(folder, 'grants')
  const grants = openGrants(place)
  grants.add(home, 'lead-a', { allow: ['write'] })
  const [own = ''] = readdirSync(place)
  grants.add(home, 'lead-b', { allow: ['execute'] })
  const other = readdirSync(place).find((name) => name !== own) ?? ''
  expect(grants.of(home, 'lead-b')).toEqual({ allow: ['execute'] })
  writeFileSync(path.join(place, other), readFileSync(path.join(place, own)))
  expect(grants.of(home, 'lead-a')).toEqual({ allow: ['write'] })
  expect(grants.of(home, 'lead-b')).toBeUndefined()
})
