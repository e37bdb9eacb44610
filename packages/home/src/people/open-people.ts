/**
 * The people of a home, in `storage/people.yaml`. Owns this file: one process at a time changes it, under a lock.
 *
 * 1. Tokens are shown once and stored only as hashes.
 * 2. Without any people, the owner of the home has all roles, and nobody else has any.
 * 3. A file with a mistake gives nobody a role.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { CadreError } from '@cadre/core'
import { rawOf, yamlText } from '@cadre/disk'
import { editFile } from '../home/edit-shared-file.ts'
import type { Home } from '../home/home.ts'
import { withLock } from '../leases/with-lock.ts'
import { homeOwner } from './home-owner.ts'
import { isPersonName, isSameName, type Person, type Role, roles } from './person.ts'
import { readPeople } from './read-people.ts'

export interface NewPerson extends Omit<Person, 'tokenHash'> {
  /** False: the person gets no token, and is known only by the system user or the Slack user. */
  readonly token?: boolean
}

export interface People {
  /** All people. If none are configured, the owner of the home. Throws a `CadreError` if the file has a mistake. */
  list(): readonly Person[]
  /** True if the file names people. */
  areConfigured(): boolean
  /** Adds a person. Returns the new token, which is stored nowhere. */
  add(person: NewPerson): Promise<{ readonly person: Person; readonly token?: string }>
  remove(name: string): Promise<Person>
  /** Takes the same time for every token. */
  byToken(token: string): Person | undefined
  /** By the SHA-256 of a token, in hexadecimal. */
  byTokenHash(hash: string): Person | undefined
  bySystemUser(user: string): Person | undefined
  bySlackUser(id: string): Person | undefined
  /** By name, system user, or `slack:ID`: everything that a record may have about a person. */
  byAnyName(name: string): Person | undefined
}

const prefix = 'cadre_'
const slackPrefix = 'slack:'

export function openPeople(home: Home): People {
  const file = home.at('storage', 'people.yaml')
  const list = () => readPeople(home) ?? [ownerAsPerson(home)]
  const find = (fits: (person: Person) => boolean) => list().find(fits)
  const byTokenHash = (wanted: string) => {
    const hash = Buffer.from(wanted, 'hex')
    // Compares with everyone, so that the time does not depend on who matches.
    const [found] = list().filter(
      ({ tokenHash }) => tokenHash !== undefined && timingSafeEqual(Buffer.from(tokenHash, 'hex'), hash),
    )
    return found
  }
  const change = async <T>(work: (people: readonly Person[]) => { people: readonly Person[]; result: T }) => {
    home.folder('storage')
    return withLock(home, 'people', () => {
      const { people, result } = work(readPeople(home) ?? [])
      editFile(file, () => rawOf(peopleText(people)))
      return result
    })
  }
  return {
    list,
    areConfigured: () => readPeople(home) !== undefined,
    async add({ token: wantsToken = true, ...wanted }) {
      requireValid(wanted)
      const token = wantsToken ? prefix + randomBytes(32).toString('base64url') : undefined
      const person = { ...wanted, ...(token !== undefined && { tokenHash: hashOf(token) }) }
      return change((people) => {
        rejectKnown(people, person)
        return { people: [...people, person], result: { person, ...(token !== undefined && { token }) } }
      })
    },
    remove: (name) =>
      change((people) => {
        const person = people.find((one) => one.name === name)
        if (person === undefined)
          throw new CadreError(
            'not_found',
            `there is no person ${JSON.stringify(name)} in this home. People: ${people.map((one) => one.name).join(', ') || 'none'}.`,
          )
        return { people: people.filter((one) => one !== person), result: person }
      }),
    byToken: (token) => byTokenHash(hashOf(token)),
    byTokenHash,
    bySystemUser: (user) => find(({ system }) => system === user),
    bySlackUser: (id) => find(({ slack }) => slack === id),
    byAnyName: (name) =>
      find((person) => person.name === name) ??
      find(({ system }) => system === name) ??
      (name.startsWith(slackPrefix)
        ? find(({ slack }) => slack === name.slice(slackPrefix.length))
        : undefined),
  }
}

function ownerAsPerson(home: Home): Person {
  const { user } = homeOwner(home)
  return { name: user, roles: [...roles], system: user }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function requireValid({ name, roles: wanted }: Pick<Person, 'name' | 'roles'>): void {
  if (!isPersonName(name))
    throw new CadreError(
      'usage',
      `${JSON.stringify(name)} cannot be a person's name. Use up to 64 letters, digits, dots, dashes, underscores and @.`,
    )
  const unknown = wanted.find((role: Role) => !roles.includes(role))
  if (wanted.length === 0 || unknown !== undefined)
    throw new CadreError('usage', `the person ${name} needs at least one role: ${roles.join(', ')}.`)
}

/** A name must not be another person's system user, because records contain either. */
function rejectKnown(people: readonly Person[], wanted: Person): void {
  const pairs = [
    ['name', 'name'],
    ['name', 'system'],
    ['system', 'system'],
    ['system', 'name'],
    ['slack', 'slack'],
  ] as const
  for (const [own, others] of pairs) {
    const value = wanted[own]
    const other = value && people.find((one) => isSameName(value, one[others]))
    if (other)
      throw new CadreError(
        'usage',
        `${other.name} already has the ${labels[others]} ${JSON.stringify(value)}. Remove ${other.name} first, with: cadre people remove ${other.name}`,
      )
  }
}

const labels = { name: 'name', system: 'system user', slack: 'Slack user' } as const

function peopleText(people: readonly Person[]): string {
  return `# Who may use this home. Change it with "cadre people".\n${yamlText([['people', people.map((one) => ({ ...one }))]], { blocks: false })}`
}
