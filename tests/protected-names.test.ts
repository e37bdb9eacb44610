import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { protectedNames } from '../packages/gate/src/paths/protected-names.ts'

it('the table in docs/sandbox.md has every protected name', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../docs/sandbox.md'), 'utf8')
  const table = page.split('\n| names | programs that run code from them |\n')[1]?.split('\n\n')[0] ?? ''
  const listed = table
    .split('\n')
    .flatMap((line) => [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  expect(listed.sort()).toEqual(protectedNames.map(({ names }) => names.join('/')).sort())
})
