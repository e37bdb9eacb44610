import { defineCommand } from '../../app/command.ts'
import { flag, home, json, trust } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const session = {
  brief:
    'The id of the session, or its beginning; default: the session that last changed files in this folder',
  parse: String,
  placeholder: 'session',
  optional: true,
} as const

const flags = {
  home,
  dryRun: flag('Show what would change, and change nothing'),
  yes: flag('Do not ask for confirmation'),
  force: flag('Also replace files that have changed since; "cadre redo" brings them back'),
  skipChanged: flag('Leave files that have changed since as they are, and restore the others'),
  trust,
  json,
} as const

const output =
  'With --json: {direction, result, session, turn, folder, prompt, started, files: [{path, action, added, removed}],\n' +
  'conflicts: [{path, reason}], notices}; result is planned, applied, refused or nothing.'

export const undoCommand = defineCommand({
  brief: commands.undo,
  about:
    'Restores files as they were before the last turn of a session: one message of a person and everything that the agents did in\n' +
    'response in the project folder. Shows the files first and asks. If a file was changed since by someone else, lists it, changes nothing\n' +
    `and exits with 1. Your git index, stash and branches are not touched. ${output}`,
  examples: [
    ['undo', 'undo the last turn in this folder'],
    ['undo --dry-run', 'only show what would change'],
    ['undo lead-4k2 --yes', 'undo the last turn of a session without asking'],
    ['undo --skip-changed', 'keep files that you have edited since'],
  ],
  parameters: { flags, positional: { kind: 'tuple', parameters: [session] } },
  load: async () => (await import('./undo.ts')).undo,
})

export const redoCommand = defineCommand({
  brief: commands.redo,
  about:
    'Restores files as they were before the last "cadre undo". Shows the files first and asks. If a file was changed since by someone\n' +
    `else, lists it, changes nothing and exits with 1. ${output}`,
  examples: [
    ['redo', 'restore what was undone last in this folder'],
    ['redo lead-4k2 --dry-run', 'show what would change'],
  ],
  parameters: { flags, positional: { kind: 'tuple', parameters: [session] } },
  load: async () => (await import('./undo.ts')).redo,
})
