import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { bestMatches, createFileIndex } from './file-index.ts'

function folder(files: readonly string[]): string {
  const root = mkdtempSync(path.join(tmpdir(), 'cadre-files-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const file of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), file.endsWith('.gitignore') ? 'dist/\n.env\n' : '')
  }
  return root
}

async function listed(root: string, typed: string): Promise<readonly string[]> {
  let changed = () => {}
  const isListed = new Promise<void>((resolve) => {
    changed = resolve
  })
  const index = createFileIndex(root, changed)
  expect(index.like(typed, 50)).toEqual([])
  await isListed
  return index.like(typed, 50)
}

const files = ['.gitignore', '.env', 'dist/app.js', 'src/app.ts', 'src/a\x1b[2Jb', 'new.txt']

it('lists files that git does not ignore, including new ones', async () => {
  const root = folder(files)
  execFileSync('git', ['init', '-q', root])
  execFileSync('git', ['-C', root, 'add', 'src/app.ts'])
  expect(await listed(root, '')).toEqual(['new.txt', 'src/'])
  expect(await listed(root, 'app')).toEqual(['src/app.ts'])
  // Does not suggest a name that contains terminal escapes.
  expect(await listed(root, 'src/')).toEqual(['src/app.ts'])
  expect(await listed(path.join(root, 'src'), '')).toEqual(['app.ts'])
})

it('lists the files in a folder without git, except for hidden ones and packages', async () => {
  const root = folder([...files, 'node_modules/x/app.js'])
  expect(await listed(root, 'app')).toEqual(['dist/app.js', 'src/app.ts'])
})

it('finds a file among many', () => {
  const many = Array.from(
    { length: 100_000 },
    (_, index) => `packages/p${index % 500}/src/file-${index}.ts`,
  ).sort()
  expect(bestMatches(many, 'file-99999', 50)).toEqual(['packages/p499/src/file-99999.ts'])
  expect(bestMatches(many, 'file', 50)).toHaveLength(50)
})
