import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { flag, home, json, text, trust } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const session = {
  brief: 'The id of a session that works there, or its beginning',
  parse: String,
  placeholder: 'session',
} as const

const list = defineCommand({
  brief: 'The workspaces there are, and what is in them',
  about:
    'Every session with a workspace of its own: empty (nothing was changed), open (changes that are not merged), merged, or gone\n' +
    '(the folder is not there any more, its commits are). With --json: a list of {session, agent, kind, path, target, branch, life,\n' +
    'commits, files, uncommitted, ignored, state, created}.',
  examples: [
    ['workspace list', 'a table'],
    [`workspace list --json | jq -r '.[] | select(.state == "open") | .session'`, 'what is not merged'],
  ],
  parameters: { flags: { home, json } },
  load: async () => (await import('./workspace-list.ts')).listWorkspaces,
})

const diff = defineCommand({
  brief: 'What a session has changed in its workspace',
  examples: [
    ['workspace diff executor-4k2', 'a line for each file, then everything'],
    ['workspace diff executor-4k2 --call call_7', 'what one call has done'],
    ['workspace diff executor-4k2 --json | jq -r .patch | git apply', 'into another folder'],
  ],
  parameters: {
    flags: {
      home,
      call: text('Only what this call has done', 'CALL'),
      stat: flag('Only a line for each file'),
      trust,
      json,
    },
    positional: { kind: 'tuple', parameters: [session] },
  },
  load: async () => (await import('./workspace-diff.ts')).diffOfWorkspace,
})

const merge = defineCommand({
  brief: 'Take the changes of a session over into the folder it began with',
  about:
    'Takes the changes of a session over into the folder it began with: as one commit on the current branch where that is a\n' +
    'repository. What comes of it is found out first: if both sides changed the same, or files with changes that are not committed\n' +
    'would be written over, these are named, nothing is touched, and it ends with 1. Files that git ignores are merged if a tool\n' +
    'named them or --include does, and are in no commit; the others are listed.',
  examples: [
    ['workspace merge executor-4k2', 'as one commit'],
    ['workspace merge executor-4k2 --include dist', 'with a folder that git ignores'],
    ['workspace merge executor-4k2 --no-commit', 'into the files alone, to look at and commit yourself'],
  ],
  parameters: {
    flags: {
      home,
      noCommit: flag('Change the files and commit nothing'),
      include: {
        ...text('Also this file or folder, which git ignores; may be given several times', 'PATH'),
        variadic: true,
      },
      trust,
      json,
    },
    positional: { kind: 'tuple', parameters: [session] },
  },
  load: async () => (await import('./workspace-merge.ts')).mergeOfWorkspace,
})

const rollback = defineCommand({
  brief: 'Undo what a call, a session, or every session has changed in its workspace',
  about:
    'Undoes changes in a workspace by a new commit: the history stays. Where later changes build on what is to be undone, these are\n' +
    'named, nothing is touched, and it ends with 1. What was merged before is taken back there by merging once more.',
  examples: [
    ['workspace rollback executor-4k2 --call call_7', 'one call'],
    ['workspace rollback executor-4k2', 'everything that was done there'],
    ['workspace rollback --all', 'in every workspace'],
  ],
  parameters: {
    flags: {
      home,
      call: text('Only what this call has done; `cadre workspace diff --json` lists them', 'CALL'),
      all: flag('In every workspace of the home'),
      trust,
      json,
    },
    positional: { kind: 'tuple', parameters: [{ ...session, optional: true }] },
  },
  load: async () => (await import('./workspace-rollback.ts')).rollbackOfWorkspace,
})

const clean = defineCommand({
  brief: 'Remove workspaces of sessions that have ended, where nothing would be lost',
  examples: [
    ['workspace clean', 'says what was removed, and why the rest was kept'],
    ['workspace clean --ignored', 'also those in which nothing but ignored files would be lost'],
    ['workspace clean executor-4k2 --force', 'throws away what was not merged'],
  ],
  parameters: {
    flags: {
      home,
      force: flag('Also what is not merged, of the session that is named'),
      ignored: flag('Also files that git ignores'),
      trust,
      json,
    },
    positional: { kind: 'tuple', parameters: [{ ...session, optional: true }] },
  },
  load: async () => (await import('./workspace-clean.ts')).cleanWorkspaces,
})

export const workspaceRoutes = buildRouteMap({
  routes: Object.assign(Object.create(null) as object, { list, diff, merge, rollback, clean }),
  docs: {
    brief: commands.workspace,
    fullDescription: `${commands.workspace}.\n\nEXAMPLES\n  cadre workspace list\n    the workspaces there are, and what is in them`,
  },
})
