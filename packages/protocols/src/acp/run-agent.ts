/**
 * Cadre as an agent for the Agent Client Protocol, version 1, over two streams.
 *
 * 1. Only protocol messages are written to the output.
 * 2. When the connection ends, every running turn is suspended, and the sessions are released: another process can resume them.
 * 3. An error in a request never ends the connection.
 */
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { Readable as NodeReadable, type Readable, Writable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import * as acp from '@agentclientprotocol/sdk/unstable'
import { CadreError, messageOf } from '@cadre/core'
import { realPathOf } from '@cadre/disk'
import { shownLine } from '@cadre/gate'
import { isSessionName } from '@cadre/home'
import {
  dropProjectPath,
  type Environment,
  openTrustedSessions,
  projectOf,
  rejectIfRunning,
  requireOwnWorkspace,
  type Sessions,
  sharedFolder,
  withRecordedGrant,
} from '@cadre/runtime'
import { AcpSession, type AcpSessionOptions } from './acp-session.ts'
import { deleteSession } from './delete-session.ts'
import { Editor } from './editor.ts'
import { listSessions } from './list-sessions.ts'
import { readMcpServers } from './mcp-servers.ts'
import { requestErrorOf } from './request-error.ts'
import { sessionPartsOf } from './session-parts.ts'
import type { AcpFlags } from './session-runtime.ts'

export interface AcpOptions {
  readonly environment: Environment
  readonly input: Readable
  readonly output: Writable
  readonly version: string
  readonly flags: AcpFlags
  /** The available models, in the format for `--model`. */
  readonly listModels: AcpSessionOptions['listModels']
  /** Ends the connection. */
  readonly signal: AbortSignal
  /** Default: 32 MiB. A longer message ends the connection. */
  readonly maxMessageBytes?: number | undefined
}

/** Serves one connection. Resolves when it has ended and everything is released. */
export async function runAgent(options: AcpOptions): Promise<void> {
  const { environment, flags, listModels, signal } = options
  const editor = new Editor()
  const sessions = new Map<string, AcpSession>()
  /** The folders that the editor has named: their homes are searched for a session without a folder. */
  const folders = new Set<string>([environment.cwd])
  const requests = new Set<Promise<unknown>>()
  /** By id, so that a session is loaded only once at a time. */
  const loads = new Map<string, Promise<unknown>>()

  const requireFolder = (cwd: string): string => {
    if (!path.isAbsolute(cwd)) throw invalid(`cwd must be an absolute path: ${shownLine(cwd, 200)}`)
    if (!existsSync(cwd) || !statSync(cwd).isDirectory())
      throw invalid(`cwd is not a folder: ${shownLine(cwd, 200)}`)
    folders.add(cwd)
    // Commands get this process's PATH. It serves several projects, so PATH must not contain any project's folders.
    dropProjectPath(environment.env, [...folders].map(projectOf))
    return cwd
  }
  const optionsFor = (cwd: string, servers: readonly acp.McpServer[]): AcpSessionOptions => {
    const read = readMcpServers(servers)
    if (read.kind === 'invalid') throw invalid(read.reason)
    return { editor, environment, flags, cwd, mcpServers: read.servers, listModels }
  }
  const find = (id: string): AcpSession => {
    const session = sessions.get(id)
    if (session === undefined) throw acp.RequestError.resourceNotFound(id)
    return session
  }
  const environmentIn = (cwd: string): Environment => ({ ...environment, cwd })
  /** Runs after the answer, because an editor drops updates for a session that it does not know yet. */
  const announceLater = (session: AcpSession) => void setImmediate(() => session.announce())
  const stateOf = (session: AcpSession) => ({ configOptions: session.configOptions, modes: session.modes })

  /** Runs `work` with the sessions of a folder's home. Undefined if the home is not trusted. */
  const withSessions = async <T>(
    cwd: string,
    work: (sessions: Sessions) => Promise<T>,
  ): Promise<T | undefined> => {
    const open = [...sessions.values()].find((session) => session.cwd === cwd)
    if (open !== undefined) return work(open.runtime)
    const io = environmentIn(cwd)
    const opened = await openTrustedSessions(io, flags).catch((error: unknown) => {
      if (error instanceof CadreError && error.code === 'configuration') return undefined
      throw error
    })
    if (opened === undefined) return undefined
    try {
      return await work(opened)
    } finally {
      await opened.close()
    }
  }

  /** An earlier session, after checks: it exists, is a conversation, works in this folder, and no other process is running it. */
  const openStored = (id: string, given: AcpSessionOptions): Promise<AcpSession> => {
    const earlier = loads.get(id) ?? Promise.resolve()
    const load = earlier.then(() => openNow(id, given))
    const over = load.catch(() => undefined)
    loads.set(id, over)
    void over.then(() => loads.get(id) === over && loads.delete(id))
    return load
  }
  const openNow = async (id: string, given: AcpSessionOptions): Promise<AcpSession> => {
    const { cwd } = given
    const known = sessions.get(id)
    if (known?.isBusy)
      throw new CadreError(
        'owned',
        `Session ${id} is already running a turn. Cancel it, or wait for it to finish.`,
      )
    // First, so that no prompt starts a turn in it.
    sessions.delete(id)
    await known?.close()
    if (!isSessionName(id)) throw acp.RequestError.resourceNotFound(id)
    const io = environmentIn(cwd)
    const granted = withRecordedGrant(io, flags, id)
    const found = await openTrustedSessions(io, granted)
    try {
      const last = sessionPartsOf(found, id).at(-1)
      if (last === undefined) throw acp.RequestError.resourceNotFound(id)
      const stored = await found.read(last)
      const { spec } = stored
      if (spec.parent !== undefined || spec.root !== spec.id)
        throw invalid(`session ${id} belongs to session ${spec.root}. Load that session instead.`)
      requireOwnWorkspace(stored, found, io, granted.trust === true || granted.granted !== undefined)
      const folder = sharedFolder(spec)
      if (realPathOf(folder) !== realPathOf(cwd))
        throw invalid(`session ${id} works in ${shownLine(folder)}. Load it with that folder as cwd.`)
      await rejectIfRunning(found, stored)
      const session = await AcpSession.resume(given, id, { last: stored, granted: granted.granted })
      sessions.set(id, session)
      return session
    } finally {
      await found.close()
    }
  }

  const app = acp
    .agent({ name: 'cadre' })
    .onRequest('initialize', ({ params, client }) => {
      editor.attach(client)
      editor.capabilities = params.clientCapabilities ?? {}
      editor.name = shownLine(params.clientInfo?.title ?? params.clientInfo?.name ?? editor.name, 60)
      return {
        protocolVersion: acp.PROTOCOL_VERSION,
        agentInfo: { name: 'cadre', title: 'Cadre', version: options.version },
        authMethods: [],
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: false, embeddedContext: true },
          mcpCapabilities: { http: true, sse: false },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
      }
    })
    .onRequest('session/new', ({ params }) =>
      answered(async () => {
        const cwd = requireFolder(params.cwd)
        const session = await AcpSession.start(optionsFor(cwd, params.mcpServers))
        sessions.set(session.id, session)
        announceLater(session)
        return { sessionId: session.id, ...stateOf(session) }
      }),
    )
    .onRequest('session/load', ({ params }) =>
      answered(async () => {
        const given = optionsFor(requireFolder(params.cwd), params.mcpServers)
        const session = await openStored(params.sessionId, given)
        await session.replay()
        announceLater(session)
        return stateOf(session)
      }),
    )
    .onRequest('session/resume', ({ params }) =>
      answered(async () => {
        const given = optionsFor(requireFolder(params.cwd), params.mcpServers ?? [])
        const session = await openStored(params.sessionId, given)
        announceLater(session)
        return stateOf(session)
      }),
    )
    .onRequest('session/list', ({ params }) =>
      answered(async () => {
        const cwd = params.cwd == null ? undefined : requireFolder(params.cwd)
        const listed = await withSessions(cwd ?? environment.cwd, (found) =>
          listSessions(found, { cwd, cursor: params.cursor ?? undefined }),
        )
        if (listed === undefined) return { sessions: [] }
        if (listed.kind === 'invalid') throw invalid('the cursor is invalid. List again without it.')
        const { kind: _, ...page } = listed
        return page
      }),
    )
    .onRequest('session/close', ({ params }) =>
      answered(async () => {
        const session = find(params.sessionId)
        sessions.delete(params.sessionId)
        await session.close()
        return {}
      }),
    )
    .onRequest('session/delete', ({ params }) =>
      answered(async () => {
        const id = params.sessionId
        const session = sessions.get(id)
        sessions.delete(id)
        await session?.close()
        if (isSessionName(id))
          for (const cwd of session === undefined ? folders : [session.cwd])
            if (await withSessions(cwd, (found) => deleteSession(found, id))) return {}
        if (session === undefined) throw acp.RequestError.resourceNotFound(id)
        return {}
      }),
    )
    .onRequest('session/prompt', ({ params, signal }) =>
      answered(() => find(params.sessionId).prompt(params.prompt, params._meta?.['traceparent'], signal)),
    )
    .onRequest('session/set_config_option', ({ params }) =>
      answered(async () => {
        const session = find(params.sessionId)
        await session.choose(params.configId, params.value)
        return { configOptions: session.configOptions }
      }),
    )
    .onRequest('session/set_mode', ({ params }) =>
      answered(async () => {
        await find(params.sessionId).choose('mode', params.modeId)
        return {}
      }),
    )
    .onNotification('session/cancel', ({ params }) => {
      const session = sessions.get(params.sessionId)
      if (session !== undefined) session.cancel()
      // An editor that follows subagents may stop one of them.
      else [...sessions.values()].some((one) => one.cancelChild(params.sessionId))
    })

  /** Turns failures into protocol errors. The log contains the details of unexpected ones. */
  async function answered<T>(work: () => Promise<T>): Promise<T> {
    const running = work()
    requests.add(running)
    try {
      return await running
    } catch (error) {
      throw requestErrorOf(error, environment.warn)
    } finally {
      requests.delete(running)
    }
  }

  const stream = acp.ndJsonStream(
    Writable.toWeb(options.output) as WritableStream<Uint8Array>,
    NodeReadable.toWeb(options.input) as ReadableStream<Uint8Array> as globalThis.ReadableStream<Uint8Array>,
    options.maxMessageBytes === undefined ? {} : { maxMessageBytes: options.maxMessageBytes },
  )
  const connection = app.connect(stream)
  const end = () => connection.close()
  // A disconnected reader is noticed only when writing.
  options.output.once('close', end)
  options.output.once('error', end)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  await connection.closed
  signal.removeEventListener('abort', end)
  options.output.off('close', end)
  options.output.off('error', end)
  await leaveAll()
  // A request may have opened another session meanwhile.
  await Promise.allSettled([...requests])
  await leaveAll()

  async function leaveAll(): Promise<void> {
    const all = [...sessions.values()]
    sessions.clear()
    const left = await Promise.allSettled(all.map((session) => session.leave()))
    for (const one of left)
      if (one.status === 'rejected') environment.warn(`a session was not closed: ${messageOf(one.reason)}`)
  }
}

function invalid(reason: string): acp.RequestError {
  return new acp.RequestError(-32602, reason)
}
