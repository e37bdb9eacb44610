/**
 * The workspaces of a home, and the operations on them. One at a time per workspace, and one at a time per merge target;
 * other processes use a workspace only for the session that they run.
 *
 * 1. The record of a workspace is in the home, where no agent can write. It is written before and after creation.
 * 2. Only workspaces are ever committed to. In a folder that a person works in, files change only by a merge.
 * 3. Conflicts and files in the way are detected first, and then nothing is changed.
 */
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { JudgedCall, PreparedIsolation, SessionSpec, WorkspaceRequest, Workspaces } from '@cadre/core'
import { CadreError, messageOf } from '@cadre/core'
import { findGit } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { isSessionName } from '@cadre/home'
import { commitChanges } from './commit-changes.ts'
import { commitReasonOf } from './commit-reason-of.ts'
import { diffWorkspace, type WorkspaceDiff } from './diff-workspace.ts'
import { findBase } from './find-base.ts'
import { forecastWorkspace, type WorkspaceForecast } from './forecast-workspace.ts'
import { includeIgnored } from './include-ignored.ts'
import { type MergeResult, mergeWorkspace } from './merge-workspace.ts'
import { prepareWorkspace } from './prepare-workspace.ts'
import { removeWithoutLoss, removeWorkspace } from './remove-workspace.ts'
import { requireConfined, restoreWorkspace } from './restore-workspace.ts'
import { type RollbackRequest, type RollbackResult, rollbackWorkspace } from './rollback-workspace.ts'
import { settleWorkspace } from './settle-workspace.ts'
import { addWorkspaceUser, listRecords, readRecord, type WorkspaceRecord } from './workspace-record.ts'
import { isRemovable, type WorkspaceState, workspaceState } from './workspace-state.ts'

export interface WorkspaceKeeper extends Workspaces {
  /** Commits the changes of a call, if its session has its own workspace. */
  commitCall(session: SessionSpec, call: JudgedCall, signal: AbortSignal): Promise<void>
  /**
   * Restores the workspace of a resumed session, and commits changes from an interruption, with the calls that may have
   * made them.
   */
  reopen(session: SessionSpec, inDoubt: readonly string[], signal: AbortSignal): Promise<void>
  /** Removes the workspace of an ended session if nothing would be lost. `discards`: ignored files may be lost. */
  leave(session: string, options?: { readonly discards?: 'ignored' }): Promise<boolean>
  /** Finds a session's workspace, by id or id prefix. Throws `not_found`. */
  find(session: string): WorkspaceRecord
  list(): Promise<readonly WorkspaceState[]>
  state(session: string): Promise<WorkspaceState>
  diff(session: string, options?: { readonly call?: string | undefined }): Promise<WorkspaceDiff>
  /** What would conflict with the target and with other workspaces, if this one were merged now. Changes nothing. */
  forecast(session: string, signal?: AbortSignal): Promise<WorkspaceForecast>
  merge(session: string, options?: MergeOptions): Promise<MergeResult>
  rollback(session: string, request: RollbackRequest): Promise<RollbackResult>
  remove(session: string): Promise<void>
}

export interface MergeOptions {
  readonly commit?: boolean
  /** Ignored files and folders to merge too, relative to the root of the workspace. */
  readonly include?: readonly string[]
}

export interface WorkspacesOptions {
  readonly home: Home
  /** Returns whether to retry after this error until the operation succeeds, for example on a full disk. */
  readonly shouldRetry?: (error: unknown) => boolean
}

/** Milliseconds between two attempts. */
const retryMs = 250

export function createWorkspaces({ home, shouldRetry = () => false }: WorkspacesOptions): WorkspaceKeeper {
  const chains = new Map<string, Promise<unknown>>()
  const runInOrder = <T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const enduring = async (): Promise<T> => {
      for (;;) {
        try {
          return await work()
        } catch (error) {
          if (signal?.aborted || !shouldRetry(error)) throw error
          await pause(retryMs)
        }
      }
    }
    const mine = (chains.get(key) ?? Promise.resolve()).then(enduring)
    const settled = mine.catch(() => {})
    chains.set(key, settled)
    void settled.then(() => chains.get(key) === settled && chains.delete(key))
    return mine
  }
  const known = (session: string): WorkspaceRecord => {
    const record = isSessionName(session) ? readRecord(home, session) : undefined
    if (record?.state === 'ready') return record
    throw new CadreError(
      'not_found',
      `session ${JSON.stringify(session)} does not have its own workspace. Run "cadre workspace list" to list workspaces.`,
    )
  }
  const commitRest = (record: WorkspaceRecord) =>
    commitChanges(home, record, {
      subject: 'Changes made outside of calls',
      session: record.session,
      agent: record.agent,
    })

  async function prepare(request: WorkspaceRequest, signal: AbortSignal): Promise<PreparedIsolation> {
    const { session, root, agent, base: folder, from = [] } = request
    if (!isSessionName(session))
      return { kind: 'impossible', reason: `${JSON.stringify(session)} is not a valid folder name` }
    findGit()
    const before = readRecord(home, session)
    if (before?.state === 'ready' && existsSync(before.top)) {
      requireConfined(before)
      return { kind: 'ready', path: before.path }
    }
    // The folder was deleted, but its commits still exist.
    if (
      before?.state === 'ready' &&
      before.tip !== before.start &&
      (await restoreWorkspace(home, before, signal))
    )
      return { kind: 'ready', path: before.path }
    if (before !== undefined) await removeWithoutLoss(home, before)
    const base = folder === '' ? undefined : findBase(home, folder)
    const continued = from.flatMap((other) => {
      const record = isSessionName(other) ? readRecord(home, other) : undefined
      return record?.state === 'ready' ? [record] : []
    })
    const made = await prepareWorkspace(home, { session, root, agent }, { base, continued }, signal)
    return made.kind === 'made' ? { kind: 'ready', path: made.record.path } : made
  }

  /** A merge into the workspace of another session is queued like its other operations. */
  const turnInto = ({ target }: WorkspaceRecord): string =>
    listRecords(home).find(({ top }) => top === target)?.session ?? `into ${target ?? ''}`

  return {
    prepare: (request, signal) =>
      runInOrder(request.session, () => prepare(request, signal), signal).catch((error) => ({
        kind: 'impossible' as const,
        reason: messageOf(error).replace(/\.$/, ''),
      })),
    settle: (session, status) =>
      runInOrder(session.id, async () => {
        const record = readRecord(home, session.id)
        if (record?.state !== 'ready' || !existsSync(record.top)) return undefined
        const rest = await commitRest(record)
        const merge = () => runInOrder(turnInto(rest), () => mergeWorkspace(home, rest, { commit: false }))
        return settleWorkspace({ session, status, state: await workspaceState(home, rest), merge })
      }).catch((error) => ({
        message: `cannot merge the changes from ${session.id}, so they stay in its workspace: ${messageOf(error)}`,
        isMissing: true as const,
      })),
    async commitCall({ id, agent, workspace, isolation }, call, signal) {
      if (isolation?.kind !== 'own') return
      await runInOrder(
        isolation.session,
        async () => {
          const record = readRecord(home, isolation.session)
          if (record?.state !== 'ready') return
          const occasion = { ...commitReasonOf(call, workspace), session: id, agent: agent.name }
          // Completed changes are committed even while the session is being stopped.
          await commitChanges(home, record, occasion, signal.aborted ? undefined : signal)
        },
        signal,
      )
    },
    async reopen({ id, root, agent, workspace, isolation }, inDoubt, signal) {
      if (isolation?.kind !== 'own') return
      const { session: owner, base } = isolation
      // The folder of an agent starts with its current files.
      const isShared = base === workspace
      if (owner === id || isShared) {
        const wanted = { session: owner, root, agent: agent.name, base: isShared ? '' : base }
        const prepared = await runInOrder(owner, () => prepare(wanted, signal), signal)
        if (prepared.kind === 'impossible')
          throw new CadreError(
            'configuration',
            `the session's workspace no longer exists: ${prepared.reason}`,
          )
        if (isShared) await runInOrder(owner, async () => addWorkspaceUser(home, known(owner), root))
      }
      if (inDoubt.length === 0) return
      await runInOrder(owner, async () => {
        const record = readRecord(home, owner)
        if (record?.state !== 'ready') return
        const subject = `Changes left behind by interrupted calls: ${inDoubt.join(', ')}`
        const [call] = inDoubt
        await commitChanges(home, record, { subject, session: id, call, agent: agent.name, inDoubt: true })
      })
    },
    leave: (session, { discards } = {}) =>
      runInOrder(session, async () => {
        const record = readRecord(home, session)
        if (record?.state !== 'ready') return false
        const state = await workspaceState(home, record)
        if (!isRemovable(discards === 'ignored' ? { ...state, ignored: [] } : state)) return false
        await removeWithoutLoss(home, record)
        return true
      }),
    find(session) {
      if (isSessionName(session) && readRecord(home, session)?.state === 'ready') return known(session)
      const fitting = listRecords(home).filter(({ session: id }) => session !== '' && id.startsWith(session))
      const [only] = fitting
      if (only !== undefined && fitting.length === 1) return only
      if (only === undefined) return known(session)
      const ids = fitting.map(({ session: id }) => id).join(', ')
      throw new CadreError(
        'usage',
        `${fitting.length} workspaces match: ${ids}. Enter more characters of the id.`,
      )
    },
    async list() {
      const ready = listRecords(home).filter(({ state }) => state === 'ready')
      return Promise.all(ready.map((record) => workspaceState(home, record)))
    },
    state: (session) => workspaceState(home, known(session)),
    forecast: (session, signal) => forecastWorkspace(home, known(session), signal),
    diff: (session, options) => diffWorkspace(home, known(session), options),
    merge: (session, { include = [], ...options } = {}) =>
      runInOrder(session, async () => {
        const record = await includeIgnored(home, await commitRest(known(session)), include)
        return runInOrder(turnInto(record), () => mergeWorkspace(home, record, options))
      }),
    rollback: (session, request) =>
      runInOrder(session, async () => rollbackWorkspace(home, await commitRest(known(session)), request)),
    remove: (session) => runInOrder(session, () => removeWorkspace(home, known(session))),
  }
}
