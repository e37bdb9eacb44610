import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPathResolver } from '../paths/path-resolver.ts'
import { createDeniedPaths } from './denied-paths.ts'

let workspace: string
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-links-')))
  for (const folder of ['secrets/deep', 'src']) mkdirSync(path.join(workspace, folder), { recursive: true })
  for (const file of ['secrets/deep/key', 'src/.env', 'src/a.ts'])
    writeFileSync(path.join(workspace, file), file)
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

const link = (from: string, to: string) => linkSync(path.join(workspace, from), path.join(workspace, to))
const denied = (read: string[], write: string[] = []) => {
  const paths = { deny: { read, write }, ask: { read: [], write: [] } }
  return createDeniedPaths({ policy: { paths, decidedBy: new Map() }, places: createPathResolver() })
}

describe('a hard link to a denied file', () => {
  it.each([
    ['a folder', 'secrets', 'secrets/deep/key'],
    ['one file', 'secrets/deep/key', 'secrets/deep/key'],
    ['a name anywhere', '.env', 'src/.env'],
    ['wildcards', 'sec*/**/k?y', 'secrets/deep/key'],
  ])('is denied like the file: %s', (_, pattern, file) => {
    link(file, 'notes.txt')
    link('src/a.ts', 'copy.ts')
    const paths = denied([pattern], [pattern])
    for (const use of ['read', 'write'] as const) {
      expect(paths.find({ path: 'notes.txt', workspace, use })).toMatchObject([
        { decision: 'deny', match: 'within', pattern },
      ])
      const other = paths.find({ path: 'copy.ts', workspace, use })
      expect(other.filter(({ match }) => match === 'within')).toEqual([])
    }
    const isHidden = paths.hiddenIn(workspace)
    expect(isHidden?.(path.join(workspace, 'notes.txt'))).toBe(true)
    expect(isHidden?.(path.join(workspace, 'copy.ts'))).toBe(false)
  })

  it('is denied when the denied file is elsewhere', () => {
    const outside = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-links-outside-')))
    try {
      writeFileSync(path.join(outside, 'token'), 'x')
      linkSync(path.join(outside, 'token'), path.join(workspace, 'notes.txt'))
      const found = denied([outside]).find({ path: 'notes.txt', workspace, use: 'read' })
      expect(found).toMatchObject([{ match: 'within', pattern: outside }])
    } finally {
      rmSync(outside, { recursive: true, force: true })
    }
  })
})
