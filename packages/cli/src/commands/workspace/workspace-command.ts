import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag, textFlag, trustFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const session = {
  brief: 'The session id, or the first characters of the id',
  parse: String,
  placeholder: 'session',
} as const

const list = defineCommand({
  brief: 'List workspaces and their state',
  about:
    'Lists the sessions with their own workspace: empty (no changes), open (unmerged changes), merged, or gone (the folder is deleted,\n' +
    'its commits still exist). With --json: a list of {session, agent, kind, path, target, branch, life,\n' +
    'commits, files, uncommitted, ignored, repositories, state, created}.',
  examples: [
    ['workspace list', 'a table'],
    [
      `workspace list --json | jq -r '.[] | select(.state == "open") | .session'`,
      'sessions with unmerged changes',
    ],
  ],
  parameters: { flags: { home: homeFlag, json: jsonFlag } },
  load: async () => (await import('./workspace-list.ts')).listWorkspaces,
})

const diff = defineCommand({
  brief: "Show a session's changes in its workspace",
  examples: [
    ['workspace diff executor-4k2', 'one line per file, then the full diff'],
    ['workspace diff executor-4k2 --call call_7', 'the changes from one call'],
    ['workspace diff executor-4k2 --json | jq -r .patch | git apply', 'apply the changes to another folder'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      call: textFlag('Only the changes from this call', 'CALL'),
      stat: booleanFlag('Show one line per file, without the diff'),
      trust: trustFlag,
      json: jsonFlag,
    },
    positional: { kind: 'tuple', parameters: [session] },
  },
  load: async () => (await import('./workspace-diff.ts')).showWorkspaceDiff,
})

const forecast = defineCommand({
  brief: 'Show what would conflict if workspaces were merged now',
  about:
    'Compares the changes in a workspace with its target folder as it is now, and with all other open workspaces, without changing them.\n' +
    'Does not include changes by calls that are still running. Exits with 1 when there is a conflict. With --json: a list of\n' +
    '{session, with: [{session, files, conflicts}], omitted}; the session "target" is the target folder.',
  examples: [
    ['workspace forecast', 'every open workspace'],
    ['workspace forecast executor-4k2', 'one session'],
  ],
  parameters: {
    flags: { home: homeFlag, trust: trustFlag, json: jsonFlag },
    positional: { kind: 'tuple', parameters: [{ ...session, optional: true }] },
  },
  load: async () => (await import('./workspace-forecast.ts')).forecastWorkspaces,
})

const merge = defineCommand({
  brief: "Merge a session's changes into its original folder",
  about:
    "Merges a session's changes into the folder it started from; in a git repository, as one commit on the current branch. If\n" +
    'there are conflicts, or if uncommitted changes would be overwritten, the command lists the files, changes nothing and exits with 1.\n' +
    'If a tool or --include names files that git ignores, Cadre merges these files without a commit. It lists all other ignored files.',
  examples: [
    ['workspace merge executor-4k2', 'merge as one commit'],
    ['workspace merge executor-4k2 --include dist', 'also merge a git-ignored folder'],
    ['workspace merge executor-4k2 --no-commit', 'change the files without a commit'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      noCommit: booleanFlag('Change the files without a commit'),
      include: {
        ...textFlag('Also merge this git-ignored file or folder; repeatable', 'PATH'),
        variadic: true,
      },
      trust: trustFlag,
      json: jsonFlag,
    },
    positional: { kind: 'tuple', parameters: [session] },
  },
  load: async () => (await import('./workspace-merge.ts')).mergeSessionWorkspace,
})

const rollback = defineCommand({
  brief: 'Undo the changes from a call, a session or all sessions in their workspaces',
  about:
    'Undoes changes in a workspace with a new commit, and keeps the history. If later changes depend on them, the command lists the\n' +
    'files, changes nothing and exits with 1. If the changes are already merged, merge the workspace again to undo them there.',
  examples: [
    ['workspace rollback executor-4k2 --call call_7', 'undo one call'],
    ['workspace rollback executor-4k2', "undo all of the session's changes"],
    ['workspace rollback --all', 'undo the changes in every workspace'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      call: textFlag(
        'Only the changes from this call; list calls with "cadre workspace diff --json"',
        'CALL',
      ),
      all: booleanFlag('Undo the changes in every workspace in the home directory'),
      trust: trustFlag,
      json: jsonFlag,
    },
    positional: { kind: 'tuple', parameters: [{ ...session, optional: true }] },
  },
  load: async () => (await import('./workspace-rollback.ts')).rollBackWorkspaces,
})

const clean = defineCommand({
  brief: 'Remove workspaces of ended sessions that have nothing left to merge',
  examples: [
    ['workspace clean', 'remove workspaces that are safe to remove, and explain why the others are kept'],
    ['workspace clean --ignored', 'also remove workspaces that contain only ignored files'],
    ['workspace clean executor-4k2 --force', 'discard unmerged changes'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      force: booleanFlag("Also discard the named session's unmerged changes"),
      ignored: booleanFlag('Also discard files that git ignores'),
      trust: trustFlag,
      json: jsonFlag,
    },
    positional: { kind: 'tuple', parameters: [{ ...session, optional: true }] },
  },
  load: async () => (await import('./workspace-clean.ts')).cleanWorkspaces,
})

export const workspaceRoutes = buildRouteMap({
  routes: Object.assign(Object.create(null) as object, { list, diff, forecast, merge, rollback, clean }),
  docs: {
    brief: commands.workspace,
    fullDescription: `${commands.workspace}.\n\nEXAMPLES\n  cadre workspace list\n    all workspaces and their state`,
  },
})
