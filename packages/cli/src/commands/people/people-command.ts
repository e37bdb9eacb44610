import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag, textFlag, trustFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const name = { brief: "The person's name", parse: String, placeholder: 'name' } as const

const list = defineCommand({
  brief: 'List the people who may use this home, with their roles',
  about:
    "Lists the people in storage/people.yaml. If the file is empty, the home directory's owner has all roles.\n" +
    'With --json: {"people": [{"name", "roles", "system", "slack", "token": true if they have one}], "configured"}.',
  examples: [
    ['people list', 'a table'],
    [`people list --json | jq -r '.people[].name'`, 'only the names'],
  ],
  parameters: { flags: { home: homeFlag, trust: trustFlag, json: jsonFlag } },
  load: async () => (await import('./people-list.ts')).listPeople,
})

const add = defineCommand({
  brief: 'Add a person, and print their token once',
  about:
    'Roles: viewer sees sessions and approvals · operator also starts, messages and stops sessions · approver also decides approvals ·\n' +
    'admin may do everything. Cadre prints a token for the page and the HTTP API once, and stores only its hash.\n' +
    'With --json: {"type": "added", "name", "roles", "token"}.',
  examples: [
    [
      'people add ann --role approver --system ann',
      'Ann decides in files and with commands as the system user ann',
    ],
    ['people add bob --role approver --role operator --slack U0123ABCD', 'Bob also decides in Slack'],
    ['people add carol --role viewer --no-token', 'do not create a token'],
  ],
  parameters: {
    flags: {
      role: {
        kind: 'enum',
        values: ['viewer', 'operator', 'approver', 'admin'],
        brief: 'What the person may do; repeatable',
        placeholder: 'ROLE',
        variadic: true,
        // Checked by the command, whose error lists the roles.
        optional: true,
      },
      system: textFlag("The person's system user on this machine", 'USER'),
      slack: textFlag("The person's Slack user id", 'ID'),
      noToken: booleanFlag('Do not create a token'),
      home: homeFlag,
      trust: trustFlag,
      json: jsonFlag,
    },
    positional: { kind: 'tuple', parameters: [name] },
  },
  load: async () => (await import('./people-add.ts')).addPerson,
})

const remove = defineCommand({
  brief: 'Remove a person; their token stops working immediately',
  examples: [['people remove ann', 'Ann may no longer use this home']],
  parameters: {
    flags: { home: homeFlag, trust: trustFlag, json: jsonFlag },
    positional: { kind: 'tuple', parameters: [name] },
  },
  load: async () => (await import('./people-remove.ts')).removePerson,
})

const routes = { list, add, remove }

export const peopleRoutes = buildRouteMap({
  routes: Object.assign(Object.create(null) as object, routes),
  docs: {
    brief: commands.people,
    fullDescription: `${commands.people}.\n\nEXAMPLES\n  cadre people add ann --role approver --system ann\n    Ann may decide approvals`,
  },
})
