import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { openHome } from '../home/open-home.ts'
import { isEmptyHome, openUserHomes } from './user-homes.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-homes-')))
  file = join(folder, 'settings', 'cadre', 'homes.jsonl')
  return () => rmSync(folder, { recursive: true, force: true })
})

const made = (name: string) => {
  mkdirSync(join(folder, name))
  return join(folder, name)
}

it('records a home permanently, readable only by its owner', () => {
  const home = made('home')
  const homes = openUserHomes(file)
  expect(homes.owns(home)).toBe(false)
  homes.add(home)
  homes.add(home)
  expect(homes.owns(home)).toBe(true)
  expect(openUserHomes(file).owns(`${home}/`)).toBe(true)
  expect(openUserHomes(file).owns(join(folder, 'other'))).toBe(false)
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'settings')).mode & 0o777).toBe(0o700)
})

it('does not mistake another folder at the same path for the recorded one', () => {
  const home = made('home')
  openUserHomes(file).add(home)
  renameSync(home, join(folder, 'moved'))
  made('home')
  expect(openUserHomes(file).owns(home)).toBe(false)
  expect(openUserHomes(file).owns(join(folder, 'moved'))).toBe(false)
})

it('does not own a home through an unrecorded link', () => {
  const home = made('home')
  openUserHomes(file).add(home)
  const link = join(made('elsewhere'), '.cadre')
  symlinkSync(home, link)
  expect(openUserHomes(file).owns(link)).toBe(false)
  openUserHomes(file).add(link)
  expect(openUserHomes(file).owns(link)).toBe(true)
  rmSync(link)
  symlinkSync(made('target'), link)
  expect(openUserHomes(file).owns(link)).toBe(false)
})

it('ignores unreadable lines, and keeps lines of other programs', () => {
  const [first, second] = [made('first'), made('second')]
  openUserHomes(file).add(first)
  appendFileSync(file, '{"path": "/x", "iden')
  const late = openUserHomes(file)
  expect(late.owns(second)).toBe(false)
  openUserHomes(file).add(second)
  late.add(made('third'))
  for (const name of ['first', 'second', 'third'])
    expect(openUserHomes(file).owns(join(folder, name)), name).toBe(true)
})

it('refuses a record that is writable by others', () => {
  const home = made('home')
  openUserHomes(file).add(home)
  chmodSync(file, 0o622)
  expect(() => openUserHomes(file).owns(home)).toThrow(/: other users can write this file/)
})

it('is called when a home is created or was empty, and undoes a home that cannot be recorded', () => {
  const created: string[] = []
  const home = openHome({
    home: join(folder, 'new'),
    cwd: folder,
    env: {},
    created: (path) => void created.push(path),
  })
  expect(isEmptyHome(home.path)).toBe(true)
  home.folder('sessions')
  home.folder('tasks')
  expect(created).toEqual([home.path])
  expect(statSync(home.at('sessions')).mode & 0o777).toBe(0o700)
  const empty = made('empty')
  openHome({ home: empty, cwd: folder, env: {}, created: (path) => void created.push(path) }).folder()
  expect(created).toEqual([home.path, empty])
  writeFileSync(join(made('full'), 'config.yaml'), '')
  openHome({
    home: join(folder, 'full'),
    cwd: folder,
    env: {},
    created: (path) => void created.push(path),
  }).folder('sessions')
  expect(created).toHaveLength(2)
  const refused = openHome({
    home: join(folder, 'refused'),
    cwd: folder,
    env: {},
    created: () => {
      throw new Error('no')
    },
  })
  expect(() => refused.folder('sessions')).toThrow('no')
  expect(isEmptyHome(refused.path)).toBe(true)
  expect(statSync(refused.path, { throwIfNoEntry: false })).toBeUndefined()
})
