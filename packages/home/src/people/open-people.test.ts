import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { currentUser } from '@cadre/disk'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Home } from '../home/home.ts'
import { openHome } from '../home/open-home.ts'
import { openPeople } from './open-people.ts'

let folder: string
let home: Home
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cadre-people-'))
  home = openHome({ home: join(folder, 'home'), cwd: folder, env: {} })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (text: string) => {
  const file = join(home.folder('storage'), 'people.yaml')
  writeFileSync(file, text)
  chmodSync(file, 0o600)
}

test('without any people, the owner of the home has all roles, and nobody else has any', () => {
  home.folder('storage')
  const people = openPeople(home)
  const owner = {
    name: currentUser(),
    roles: ['viewer', 'operator', 'approver', 'admin'],
    system: currentUser(),
  }
  expect(people.list()).toEqual([owner])
  expect(people.bySystemUser(currentUser())).toEqual(owner)
  expect(people.bySystemUser('somebody')).toBeUndefined()
  expect(people.byToken('cadre_x')).toBeUndefined()
  write('people: []\n')
  expect(people.list()).toEqual([owner])
  expect(people.areConfigured()).toBe(false)
})

test('people are found by token, system user and Slack user', async () => {
  const people = openPeople(home)
  const { token = '' } = await people.add({ name: 'ann', roles: ['approver'], system: 'ann', slack: 'U1' })
  await people.add({ name: 'bob', roles: ['viewer'], token: false })
  expect(token).toMatch(/^cadre_[A-Za-z0-9_-]{43}$/)
  for (const found of [people.byToken(token), people.bySystemUser('ann'), people.bySlackUser('U1')])
    expect(found?.name).toBe('ann')
  for (const name of ['ann', 'slack:U1']) expect(people.byAnyName(name)?.name).toBe('ann')
  expect(people.byAnyName('slack:')).toBeUndefined()
  expect(people.byToken(`${token}x`)).toBeUndefined()
  expect(people.byToken('')).toBeUndefined()
  expect(readFileSync(home.at('storage', 'people.yaml'), 'utf8')).not.toContain(token)
  // The owner of the home is nobody special any more.
  expect(people.bySystemUser(currentUser())).toBeUndefined()
  await people.remove('ann')
  expect(people.byToken(token)).toBeUndefined()
})

test('concurrent changes are all kept', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `p${index}`)
  await Promise.all(names.map((name) => openPeople(home).add({ name, roles: ['viewer'] })))
  expect(
    openPeople(home)
      .list()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(names)
})

describe('nobody has a role while the file has a mistake', () => {
  test.each([
    ['not YAML', 'people: ['],
    ['no list', 'people: ann'],
    ['another key', 'people: []\nroles: []'],
    ['an unknown key', 'people:\n  - { name: ann, roles: [viewer], admin: true }'],
    ['an unknown role', 'people:\n  - { name: ann, roles: [owner] }'],
    ['no role', 'people:\n  - { name: ann, roles: [] }'],
    ['no name', 'people:\n  - { roles: [viewer] }'],
    ['an unsafe name', 'people:\n  - { name: "a\\nb", roles: [viewer] }'],
    ['the same name', 'people:\n  - { name: ann, roles: [viewer] }\n  - { name: Ann, roles: [viewer] }'],
    [
      'the same system user',
      'people:\n  - { name: ann, roles: [viewer], system: x }\n  - { name: bob, roles: [viewer], system: x }',
    ],
    [
      'the same Slack user',
      'people:\n  - { name: ann, roles: [viewer], slack: U1 }\n  - { name: bob, roles: [viewer], slack: U1 }',
    ],
    [
      "another person's system user as a name",
      'people:\n  - { name: ann, roles: [viewer], system: bob }\n  - { name: bob, roles: [viewer] }',
    ],
    ['a token instead of its hash', 'people:\n  - { name: ann, roles: [viewer], tokenHash: cadre_abc }'],
  ])('%s', async (_, text) => {
    write(text)
    const people = openPeople(home)
    expect(() => people.list()).toThrow(expect.objectContaining({ code: 'configuration' }))
    expect(() => people.byToken('x')).toThrow()
    await expect(people.add({ name: 'eve', roles: ['admin'] })).rejects.toThrow()
    expect(readFileSync(home.at('storage', 'people.yaml'), 'utf8')).toBe(text)
  })

  test.runIf(process.getuid !== undefined)('a file that other users can change', () => {
    write('people:\n  - { name: ann, roles: [admin] }\n')
    chmodSync(home.at('storage', 'people.yaml'), 0o664)
    expect(() => openPeople(home).list()).toThrow('other users can change this file. Run: chmod go-w')
  })

  test.runIf(process.getuid?.() === 0)('a file of a user who does not own the home', () => {
    write('people:\n  - { name: eve, roles: [admin] }\n')
    chownSync(home.at('storage', 'people.yaml'), 4001, 4001)
    expect(() => openPeople(home).list()).toThrow('belongs to the user uid:4001')
  })

  test('a link to another file', () => {
    writeFileSync(join(folder, 'other.yaml'), 'people:\n  - { name: eve, roles: [admin] }\n')
    symlinkSync(join(folder, 'other.yaml'), join(home.folder('storage'), 'people.yaml'))
    expect(() => openPeople(home).list()).toThrow('regular file')
  })
})
