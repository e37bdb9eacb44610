import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { KnownIgnores } from './known-ignores.ts'
import { ObjectStore } from './object-store.ts'
import { scanFolder } from './scan-folder.ts'

/** A folder, and how often git was asked about it. */
async function createFolder() {
  const at = mkdtempSync(path.join(tmpdir(), 'cadre-ignores-'))
  onTestFinished(() => rmSync(at, { recursive: true, force: true }))
  const top = path.join(at, 'project')
  const excludes = path.join(at, 'exclude')
  mkdirSync(top)
  const objects = new ObjectStore(path.join(at, 'git'), top)
  await objects.open(undefined)
  const known = new KnownIgnores()
  const limits = { files: 1000, filesApart: 1 }
  let asked = 0
  return {
    write(name: string, text: string, at = top) {
      const place = path.join(at, name)
      mkdirSync(path.dirname(place), { recursive: true })
      writeFileSync(place, text)
    },
    exclude: (text: string) => writeFileSync(excludes, text),
    top,
    get asked() {
      return asked
    },
    scan: () =>
      known.scan(
        [excludes],
        () => {
          asked++
          return objects.ignored([excludes])
        },
        (ignored) => scanFolder({ top, without: '', ignored, isUnversioned: false, limits }),
      ),
  }
}

test('asks git again only after a name or an ignore file has changed', async () => {
  const folder = await createFolder()
  folder.write('.gitignore', 'out\n')
  // Old enough that a change would show in its stamp.
  await untilSettled()
  folder.write('src/a.ts', '1')
  await folder.scan()
  await folder.scan()
  const before = folder.asked
  folder.write('src/a.ts', 'another content')
  await folder.scan()
  await folder.scan()
  expect(folder.asked).toBe(before)

  folder.write('out/one', '1')
  folder.write('out/two', '2')
  const { found, uncovered } = await folder.scan()
  expect(folder.asked).toBe(before + 1)
  expect(uncovered).toEqual(['out/'])
  expect([...found.keys()].sort()).toEqual(['.gitignore', 'src', 'src/a.ts'])
})

test('sees a new rule in an ignore file and in a list of excludes', async () => {
  const folder = await createFolder()
  folder.write('.gitignore', '')
  for (const name of ['out/one', 'out/two', 'log/one', 'log/two']) folder.write(name, '1')
  await untilSettled()
  for (let i = 0; i < 3; i++) expect((await folder.scan()).uncovered).toEqual([])
  folder.write('.gitignore', 'out\n')
  expect((await folder.scan()).uncovered).toEqual(['out/'])
  folder.exclude('log\n')
  expect((await folder.scan()).uncovered).toEqual(['log/', 'out/'])
})

test('does not rely on the stamp of an ignore file that has just changed', async () => {
  const folder = await createFolder()
  for (const name of ['out/one', 'out/two', 'log/one', 'log/two']) folder.write(name, '1')
  for (const rule of ['out', 'log', 'out', 'log']) {
    folder.write('.gitignore', `${rule}\n`)
    // The same size and the same time as before.
    utimesSync(path.join(folder.top, '.gitignore'), 1, 1)
    expect((await folder.scan()).uncovered).toEqual([`${rule}/`])
  }
})

/** Longer than file systems take for two changes with the same time. */
function untilSettled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 150))
}
