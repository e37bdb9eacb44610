import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { createWorkspaceFixture, type WorkspaceFixture } from './workspaces.spec-helpers.ts'

/** Every file below a folder, with its content. */
function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name)
      return [file, readFileSync(file, 'latin1')]
    }),
  )
}

async function twoWorkspaces(fixture: WorkspaceFixture) {
  await fixture.prepare('s-1')
  await fixture.prepare('s-2')
  await fixture.call('s-1', 'c1', { 'a.txt': 'ONE\ntwo\nthree\n', 'new.txt': 'n' })
}

/** Folders without git take as long, so they are checked in `npm run test:deep`. */
const kinds = process.env['CADRE_DEEP'] ? [true, false] : [true]

describe.each(kinds)('the forecast of a workspace (git: %s)', (git) => {
  const begin = () => {
    const fixture = createWorkspaceFixture({ git })
    if (!git) fixture.write('a.txt', 'one\ntwo\nthree\n')
    return fixture
  }

  it('names the files that another workspace has changed too, and those that conflict', async () => {
    const fixture = begin()
    await twoWorkspaces(fixture)
    await fixture.call('s-2', 'c1', { 'a.txt': '1\ntwo\nthree\n', 'other.txt': 'o' })
    const forecast = await fixture.keeper.forecast('s-1')
    expect(forecast).toEqual({
      session: 's-1',
      with: [{ session: 's-2', files: ['a.txt'], conflicts: ['a.txt'] }],
      omitted: 0,
    })
    await fixture.call('s-2', 'c2', { 'a.txt': 'one\ntwo\nTHREE\n' })
    const later = await fixture.keeper.forecast('s-2')
    expect(later.with).toEqual([{ session: 's-1', files: ['a.txt'], conflicts: [] }])
  })

  it('compares with the files in the target as they are, and touches nothing', async () => {
    const fixture = begin()
    await twoWorkspaces(fixture)
    fixture.write('a.txt', 'mine\ntwo\nthree\n')
    const before = contentOf(fixture.project)
    expect((await fixture.keeper.forecast('s-1')).with).toEqual([
      { session: 'target', files: ['a.txt'], conflicts: ['a.txt'] },
    ])
    expect(contentOf(fixture.project)).toEqual(before)
    expect((await fixture.keeper.forecast('s-2')).with).toEqual([])
  })
})
