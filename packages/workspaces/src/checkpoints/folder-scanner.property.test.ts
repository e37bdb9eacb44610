import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findBase } from '../find-base.ts'
import { createWorkspaceFixture } from '../workspaces.spec-helpers.ts'
import { folderState } from './file-state.ts'
import { FolderScanner } from './folder-scanner.ts'
import { FolderSnapshot } from './folder-snapshot.ts'
import { ObjectStore } from './object-store.ts'
import { minFileAgeMs } from './stat-index.ts'

const files = Array.from({ length: 12 }, (_, index) => `d${index % 3}/f${index}`)
const file = fc.constantFrom(...files)

const other = (place: string) => (readFileSync(place, 'utf8') === 'text' ? 'TEXT' : 'text')

/** Each changes something at or next to a file. */
const edits: Readonly<Record<string, (place: string) => void>> = {
  'same size': (place) => writeFileSync(place, other(place)),
  'old time': (place) => {
    const { atime, mtime } = lstatSync(place)
    writeFileSync(place, other(place))
    utimesSync(place, atime, mtime)
  },
  longer: (place) => writeFileSync(place, 'more text'),
  mode: (place) => chmodSync(place, lstatSync(place).mode ^ 0o044),
  delete: (place) => rmSync(place),
  atomic: (place) => {
    writeFileSync(`${place}.tmp`, 'TEXT')
    renameSync(`${place}.tmp`, place)
  },
  create: (place) => writeFileSync(`${place}.new`, 'new'),
  link: (place) => {
    rmSync(place)
    symlinkSync('elsewhere', place)
  },
  'folder to link': (place) => {
    const parent = path.dirname(place)
    renameSync(parent, `${parent}.moved`)
    symlinkSync(`${parent}.moved`, parent)
  },
  ignore: (place) => {
    const parent = path.dirname(place)
    writeFileSync(path.join(parent, '..', '.gitignore'), `${path.basename(parent)}/\n`)
  },
  'empty folder': (place) => mkdirSync(`${place}.folder`),
}
const anyEdit = fc.record({ kind: fc.constantFrom(...Object.keys(edits)), file })

test('a scan that reuses earlier ones finds the same as a fresh scan', async () => {
  const fixture = createWorkspaceFixture()
  for (const name of files) fixture.write(name, 'text')
  const objects = new ObjectStore(fixture.home.at('git'), fixture.project)
  await objects.open(undefined)
  const scanner = () =>
    new FolderScanner({
      top: fixture.project,
      without: fixture.home.path,
      repository: findBase(fixture.home, fixture.project).repository,
      objects,
      index: fixture.home.at(`index-${Math.random()}`),
      limits: { files: 1000, filesApart: 10 },
      few: 0,
    })
  const [reusing, picture] = [scanner(), new FolderSnapshot(fixture.home.at('picture.json'))]
  const look = async () => {
    const seen = Date.now()
    const scan = await reusing.scan(picture)
    for (const [name, one] of scan.found)
      if (picture.isSame(name, one)) picture.confirm(name, one, seen)
      else picture.set(name, folderState, one, seen)
    reusing.prepareNext(picture)
    return scan
  }
  const youngest = () => Math.max(...files.map((name) => lstatSync(fixture.at(name)).ctimeMs))
  const restore = async () => {
    for (const name of readdirSync(fixture.project))
      if (/^d|ignore/.test(name)) rmSync(fixture.at(name), { recursive: true, force: true })
    for (const name of files) fixture.write(name, 'text')
    while (Date.now() - youngest() <= minFileAgeMs) await wait(100)
    await look()
    await look()
    // git answers for all of them now, and only for them.
    expect(reusing.looked).toBeLessThan(3)
  }
  let saved = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyEdit, { maxLength: 4 }), { minLength: 6, maxLength: 6 }),
      async (rounds) => {
        await restore()
        for (const round of rounds) {
          for (const { kind, file: name } of round) attempt(() => edits[kind]?.(fixture.at(name)))
          const [reused, fresh] = [
            await look(),
            await scanner().scan(new FolderSnapshot(fixture.home.at('none.json'))),
          ]
          expect(reused).toEqual(fresh)
          if (reusing.looked < fresh.found.size / 2) saved++
        }
      },
    ),
    { numRuns: process.env['CADRE_DEEP'] === '1' ? 24 : 2 },
  )
  expect(saved).toBeGreaterThan(0)
})

/** Skips edits that earlier edits made impossible. */
function attempt(work: () => void): void {
  try {
    work()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['ENOENT', 'EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EINVAL'].includes(code)) throw error
  }
}
