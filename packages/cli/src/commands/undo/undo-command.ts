import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag, trustFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const session = {
  brief:
    'The session id, or the first characters of the id; default: the session that last changed files in this folder',
  parse: String,
  placeholder: 'session',
  optional: true,
} as const

const flags = {
  home: homeFlag,
  dryRun: booleanFlag('Show what would change, without changing it'),
  yes: booleanFlag('Do not ask for confirmation'),
  force: booleanFlag('Also replace files that have changed since; "cadre redo" restores them'),
  skipChanged: booleanFlag('Skip files that have changed since, and restore the others'),
  trust: trustFlag,
  json: jsonFlag,
} as const

const output =
  'With --json: {direction, result, session, turn, folder, prompt, started, files: [{path, action, added, removed}],\n' +
  'conflicts: [{path, reason}], notices}; result is planned, applied, refused or nothing.'

export const undoCommand = defineCommand({
  brief: commands.undo,
  about:
    'Restores the files in the project folder to their state before the last turn of a session. A turn is one message from a person\n' +
    'and everything that agents did in response. Shows the files and asks first. If someone else has changed a file since, the command\n' +
    `lists the file, changes nothing and exits with 1. Your git index, stash and branches do not change.\n${output}`,
  examples: [
    ['undo', 'undo the last turn in this folder'],
    ['undo --dry-run', 'only show what would change'],
    ['undo lead-4k2 --yes', 'undo the last turn of a session without asking'],
    ['undo --skip-changed', 'keep files that you have edited since'],
  ],
  parameters: { flags, positional: { kind: 'tuple', parameters: [session] } },
  load: async () => (await import('./undo.ts')).undoTurn,
})

export const redoCommand = defineCommand({
  brief: commands.redo,
  about:
    'Restores the files to their state before the last "cadre undo". Shows the files and asks first. If someone else has changed a\n' +
    `file since, the command lists the file, changes nothing and exits with 1.\n${output}`,
  examples: [
    ['redo', 'restore the last undone changes in this folder'],
    ['redo lead-4k2 --dry-run', 'show what would change'],
  ],
  parameters: { flags, positional: { kind: 'tuple', parameters: [session] } },
  load: async () => (await import('./undo.ts')).redoTurn,
})
