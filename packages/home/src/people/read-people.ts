import { lstatSync, type Stats } from 'node:fs'
import { CadreError, sentenceOf } from '@cadre/core'
import { type Located, readYaml, textOf, userOf } from '@cadre/disk'
import { readPlainFile } from '../home/edit-shared-file.ts'
import type { Home } from '../home/home.ts'
import { homeOwner } from './home-owner.ts'
import { isPersonName, isSameName, nameKey, type Person, type Role, roles } from './person.ts'

/**
 * Reads the people of a home, or returns `undefined` if none are configured. Rejects a file with any mistake: a person who is listed twice
 * would count twice.
 */
export function readPeople(home: Home): readonly Person[] | undefined {
  const path = home.at('storage', 'people.yaml')
  const raw = textIn(path, home)
  if (raw === undefined) return undefined
  const fail = (line: number, message: string): never => {
    throw new CadreError('configuration', message, { where: `${path}:${line}` })
  }
  const read = readYaml({ text: textOf(raw).replace(/^\ufeff/, ''), path })
  if (read.kind === 'broken') {
    const [first] = read.diagnostics
    return fail(first?.line ?? 1, first?.message ?? 'This file is not valid YAML.')
  }
  const { root } = read
  if (root.value === null) return undefined
  checkKeys(root, ['people'], 'the file', fail)
  const list = root.fields?.get('people')
  if (list?.items === undefined) return fail(root.line, 'people must be a list of people.')
  const people = list.items.map((item) => personOf(item, fail))
  for (const key of ['name', 'system', 'slack', 'tokenHash'] as const) rejectTwice(people, key, fail)
  rejectMixed(people, fail)
  return people.length === 0 ? undefined : people.map(({ person }) => person)
}

type Fail = (line: number, message: string) => never

interface Read {
  readonly person: Person
  readonly line: number
}

function personOf(item: Located, fail: Fail): Read {
  checkKeys(item, ['name', 'roles', 'tokenHash', 'system', 'slack'], 'a person', fail)
  const text = (key: string): string | undefined => {
    const field = item.fields?.get(key)
    if (field === undefined) return undefined
    if (typeof field.value === 'string' && field.value.trim() !== '') return field.value
    return fail(field.line, `${key} must be text.`)
  }
  const name = text('name')
  if (name === undefined || !isPersonName(name))
    return fail(item.line, 'A person needs a name of letters, digits, dots, dashes and underscores.')
  const tokenHash = text('tokenHash')
  if (tokenHash !== undefined && !/^[0-9a-f]{64}$/.test(tokenHash))
    return fail(item.line, `The tokenHash of ${name} must be a SHA-256 in hexadecimal.`)
  const system = text('system')
  const slack = text('slack')
  const person: Person = {
    name,
    roles: rolesOf(item, name, fail),
    ...(tokenHash !== undefined && { tokenHash }),
    ...(system !== undefined && { system }),
    ...(slack !== undefined && { slack }),
  }
  return { person, line: item.line }
}

function rolesOf(item: Located, name: string, fail: Fail): readonly Role[] {
  const words = item.fields?.get('roles')?.items?.map(({ value }) => value) ?? []
  const isRole = (word: unknown): word is Role => roles.includes(word as Role)
  if (words.length === 0 || !words.every(isRole))
    return fail(item.line, `The roles of ${name} must be a list of: ${roles.join(', ')}.`)
  return [...new Set(words)]
}

function rejectTwice(
  people: readonly Read[],
  key: 'name' | 'system' | 'slack' | 'tokenHash',
  fail: Fail,
): void {
  const seen = new Set<string>()
  for (const { person, line } of people) {
    const written = person[key]
    if (written === undefined) continue
    const value = nameKey(written)
    if (seen.has(value)) fail(line, `Two people have the same ${key}. Remove one of them.`)
    seen.add(value)
  }
}

/** Records name a person by their name or their system user, so one must not be the other of somebody else. */
function rejectMixed(people: readonly Read[], fail: Fail): void {
  for (const { person, line } of people) {
    const other = people.find((one) => one.person !== person && isSameName(person.name, one.person.system))
    if (other !== undefined)
      fail(line, `${person.name} is the system user of ${other.person.name}. Choose another name.`)
  }
}

function checkKeys(at: Located, known: readonly string[], what: string, fail: Fail): void {
  if (at.fields === undefined) fail(at.line, `${what} must have these keys: ${known.join(', ')}.`)
  for (const [key, { line }] of at.fields ?? [])
    if (!known.includes(key))
      fail(line, `There is no key ${JSON.stringify(key)} in ${what}. Known keys: ${known.join(', ')}.`)
}

/** Anyone who can change the file can give themselves every role. Only the owner of the home and root may. */
function requireProtected(path: string, { uid, mode }: Stats, home: Home): void {
  const owner = homeOwner(home)
  if (owner.uid === undefined) return
  if (uid !== owner.uid && uid !== 0)
    throw new CadreError(
      'configuration',
      `this file belongs to the user ${userOf(uid)}, who does not own the home. Run: chown ${owner.user} ${path}`,
      { where: path },
    )
  if ((mode & 0o022) !== 0)
    throw new CadreError('configuration', `other users can change this file. Run: chmod go-w ${path}`, {
      where: path,
    })
}

function textIn(path: string, home: Home): string | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return undefined
    const text = readPlainFile(path)
    requireProtected(path, stats, home)
    return text
  } catch (error) {
    if (error instanceof CadreError && error.where !== undefined) throw error
    throw new CadreError('configuration', `cannot read the people of this home: ${sentenceOf(error)}`, {
      where: path,
    })
  }
}
