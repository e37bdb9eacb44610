import { openPeople } from '@cadre/home'
import type { RouteContext } from '../api-context.ts'
import type { Caller } from '../guard/caller.ts'
import type { Routes } from '../http-route.ts'
import {
  bodySchema,
  booleanSchema,
  choiceSchema,
  listSchema,
  objectSchema,
  schemaRef,
  textSchema,
} from '../schemas.ts'
import { rejectUnsandboxed } from './reject-unsandboxed.ts'

type Name = 'listPeople' | 'addPerson' | 'removePerson'

const roles = {
  type: 'array',
  minItems: 1,
  maxItems: 4,
  items: choiceSchema('viewer', 'operator', 'approver', 'admin'),
} as const

/** The people who may use the home. Cadre returns a token only once, and stores its hash. */
export const peopleRoutes: Routes<Name> = {
  listPeople: {
    operation: 'listPeople',
    role: 'admin',
    summary: 'List the people who may use this home, without their tokens',
    schema: objectSchema({ items: listSchema(schemaRef('Person')) }),
    answer: (_, { home }) => ({
      body: {
        items: openPeople(home)
          .list()
          .map(({ name, roles: own }) => ({ name, roles: own })),
      },
    }),
  },
  addPerson: {
    operation: 'addPerson',
    role: 'admin',
    needsDaemon: true,
    summary: 'Add a person, and get their token, which is returned only once',
    description: "Until the first person is added, the home's owner has all roles. Add the owner too.",
    status: 201,
    body: bodySchema({ name: { type: 'string', minLength: 1, maxLength: 64 }, roles }),
    schema: objectSchema({ name: textSchema, roles: listSchema(schemaRef('Role')), token: textSchema }),
    async answer({ body: { name, roles: wanted }, caller }, context) {
      rejectUnsandboxed(context.home)
      const people = openPeople(context.home)
      const { person, token = '' } = await people.add({ name, roles: [...new Set(wanted)] })
      noteChange(context, caller, `added ${name}: ${person.roles.join(', ')}`)
      return { body: { name, roles: person.roles, token } }
    },
  },
  removePerson: {
    operation: 'removePerson',
    role: 'admin',
    needsDaemon: true,
    summary: 'Remove a person; their token stops working immediately',
    schema: objectSchema({ removed: booleanSchema }),
    async answer({ params: { name }, caller }, context) {
      rejectUnsandboxed(context.home)
      const person = await openPeople(context.home).remove(name)
      noteChange(context, caller, `removed ${person.name}`)
      return { body: { removed: true } }
    },
  },
}

function noteChange({ operate }: RouteContext, { by }: Caller, what: string): void {
  operate?.daemon.note({ type: 'people.changed', message: `${by} ${what}.`, by })
}
