import type { WorkspaceItem, WorkspaceStep } from '@cadre/api'
import type { JsonObject } from '@cadre/core'
import { isSessionName } from '@cadre/home'
import { cleanWorkspace, mergeWorkspaceJson, rollBackWorkspace, rollbackJson } from '@cadre/runtime'
import { createWorkspaces, type WorkspaceKeeper, type WorkspaceState } from '@cadre/workspaces'
import type { ApiContext, RouteContext } from '../api-context.ts'
import type { Caller } from '../guard/caller.ts'
import type { Routes } from '../http-route.ts'
import { HttpProblem } from '../problem.ts'
import { anyObject, bodySchema, listSchema, objectSchema, schemaRef, textSchema } from '../schemas.ts'
import { requireOperate } from './start-once.ts'

type Name =
  | 'listWorkspaces'
  | 'getWorkspaceDiff'
  | 'getForecast'
  | 'mergeWorkspace'
  | 'rollBackWorkspace'
  | 'cleanWorkspace'

export const workspaceRoutes: Routes<Name> = {
  listWorkspaces: {
    operation: 'listWorkspaces',
    role: 'viewer',
    summary: 'List workspaces and their states',
    schema: objectSchema({ items: listSchema(schemaRef('WorkspaceItem')) }),
    async answer(_, context) {
      const states = await keeperOf(context).list()
      return { body: { items: states.map(itemOf) } }
    },
  },
  getWorkspaceDiff: {
    operation: 'getWorkspaceDiff',
    role: 'viewer',
    summary: "Get a session's changes in its workspace as a patch, or those of one call",
    query: { call: { type: 'string', minLength: 1, maxLength: 300 } },
    schema: objectSchema({
      stat: textSchema,
      patch: textSchema,
      steps: listSchema(
        objectSchema({
          commit: textSchema,
          subject: textSchema,
          'session?': textSchema,
          'call?': textSchema,
          undoes: listSchema(textSchema),
        }),
      ),
    }),
    async answer({ params: { id }, query: { call } }, context) {
      const { keeper, owner } = await findWorkspace(context, id)
      const { stat, patch, steps } = await keeper.diff(owner, { call })
      if (call !== undefined && steps.length === 0)
        throw new HttpProblem(
          404,
          `Call ${JSON.stringify(call)} did not change anything in this workspace.`,
          {
            code: 'not_found',
          },
        )
      return { body: { stat, patch, steps: steps.map(stepOf) } }
    },
  },
  getForecast: {
    operation: 'getForecast',
    role: 'viewer',
    summary: 'Show what would conflict if this workspace were merged now, without merging it',
    schema: schemaRef('Forecast'),
    async answer({ params: { id }, signal }, context) {
      const { keeper, owner } = await findWorkspace(context, id)
      return { body: await keeper.forecast(owner, signal) }
    },
  },
  mergeWorkspace: {
    operation: 'mergeWorkspace',
    role: 'operator',
    needsDaemon: true,
    summary: "Merge a session's changes into the folder that it started from",
    description:
      'Returns the same JSON as "cadre workspace merge --json". If there are conflicts, nothing is changed.',
    schema: anyObject,
    async answer({ params: { id }, caller }, context) {
      const { keeper, owner } = await findWorkspace(context, id)
      const { json } = await mergeWorkspaceJson(keeper, owner)
      if (json.result === 'merged') noteAction(context, caller, owner, 'merged')
      return { body: json as unknown as JsonObject }
    },
  },
  rollBackWorkspace: {
    operation: 'rollBackWorkspace',
    role: 'operator',
    needsDaemon: true,
    summary: "Undo a session's changes in its workspace, or those of one commit, with a new commit",
    description:
      'Returns the same JSON as "cadre workspace rollback --json". If later changes depend on the undone ones, nothing is changed.',
    body: bodySchema({ 'commit?': { type: 'string', pattern: '^[0-9a-f]{7,64}$' } }),
    schema: anyObject,
    async answer({ params: { id }, body: { commit }, caller }, context) {
      const { keeper, owner, guest } = await findWorkspace(context, id)
      const call = commit === undefined ? undefined : await callOfCommit(keeper, owner, commit)
      const result = await rollBackWorkspace(keeper, owner, { call, session: guest })
      if (result.kind === 'undone') noteAction(context, caller, owner, 'rolled back')
      return { body: rollbackJson(owner, result) }
    },
  },
  cleanWorkspace: {
    operation: 'cleanWorkspace',
    role: 'operator',
    needsDaemon: true,
    summary: 'Remove the workspace of an ended session, if nothing would be lost',
    description:
      'Returns the same JSON as "cadre workspace clean --json". To discard changes, use that command with --force.',
    schema: anyObject,
    async answer({ params: { id }, caller }, context) {
      const { keeper, owner } = await findWorkspace(context, id)
      const cleaned = await cleanWorkspace(keeper, owner)
      if (cleaned.removed.length > 0) noteAction(context, caller, owner, 'removed')
      return { body: cleaned as unknown as JsonObject }
    },
  },
}

type Step = Awaited<ReturnType<WorkspaceKeeper['diff']>>['steps'][number]

const keepers = new WeakMap<object, WorkspaceKeeper>()

/** One keeper for each home, because it serializes the changes to a workspace. */
function keeperOf({ home }: Pick<ApiContext, 'home'>): WorkspaceKeeper {
  const known = keepers.get(home) ?? createWorkspaces({ home })
  keepers.set(home, known)
  return known
}

interface Found {
  readonly keeper: WorkspaceKeeper
  /** The session that owns the workspace. */
  readonly owner: string
  /** Set if the requested session works in the workspace but does not own it. */
  readonly guest?: string
}

async function findWorkspace(context: RouteContext, id: string): Promise<Found> {
  const keeper = keeperOf(context)
  const stored = isSessionName(id) ? await context.sessions.read(id) : undefined
  const isolation = stored?.spec.isolation
  const owner = isolation?.kind === 'own' ? isolation.session : id
  const isKnown = isSessionName(owner) && (await hasWorkspace(keeper, owner))
  if (!isKnown)
    throw new HttpProblem(404, `Session ${JSON.stringify(id)} does not have its own workspace.`, {
      code: 'not_found',
    })
  return { keeper, owner, ...(owner !== id && { guest: id }) }
}

/** `find` accepts the beginning of an id. An address must name the whole one. */
async function hasWorkspace(keeper: WorkspaceKeeper, owner: string): Promise<boolean> {
  try {
    return keeper.find(owner).session === owner
  } catch {
    return false
  }
}

async function callOfCommit(keeper: WorkspaceKeeper, owner: string, commit: string): Promise<string> {
  const { steps } = await keeper.diff(owner)
  const found = steps.filter((step) => step.commit.startsWith(commit))
  const call = found.length === 1 ? found[0]?.call : undefined
  if (call !== undefined) return call
  throw new HttpProblem(404, `Commit ${commit} is not a call's commit in this workspace.`, {
    code: 'not_found',
  })
}

function noteAction(context: RouteContext, { by }: Caller, session: string, what: string): void {
  requireOperate(context).daemon.note({
    type: 'workspace.changed',
    message: `${by} ${what} the workspace of ${session}.`,
    session,
    by,
  })
}

function itemOf(state: WorkspaceState): WorkspaceItem {
  const { ignored: _, repositories: __, ...item } = state
  return item
}

function stepOf({ commit, subject, session, call, undoes }: Step): WorkspaceStep {
  return {
    commit,
    subject,
    ...(session !== undefined && { session }),
    ...(call !== undefined && { call }),
    undoes,
  }
}
