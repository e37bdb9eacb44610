/**
 * One process of the Copilot runtime, and its private folder.
 *
 * 1. `ended` listeners are called once, however the process ended: by itself, by a signal, or by `end`.
 * 2. The process ends with this one. On `exit` it is killed; if this process is killed, its standard input closes, and it
 *    exits.
 * 3. It does not keep this process alive; callers that wait for it do.
 */

import type { Clock } from '@cadre/core'
import { childEnvironment, type Environment } from '../child-environment.ts'
import { createPrivateFolder, removeFolder } from '../private-folder.ts'
import type { ModelAccess } from './access.ts'
import type { Sdk, SdkClient } from './sdk-types.ts'

const startTimeout = 60_000

export interface CopilotRuntimeOptions {
  readonly sdk: Sdk
  readonly access: ModelAccess
  readonly env: Environment
  readonly clock: Clock
}

export class CopilotRuntime {
  readonly client: SdkClient
  readonly folder: string
  readonly #listeners = new Set<() => void>()
  readonly #onExit = () => this.end()
  #isEnded = false

  private constructor(client: SdkClient, folder: string) {
    this.client = client
    this.folder = folder
  }

  /** Rejects if it cannot be started. */
  static async start({ sdk, access, env, clock }: CopilotRuntimeOptions): Promise<CopilotRuntime> {
    const folder = createPrivateFolder(env, 'copilot-sdk')
    const isOffline = access.kind === 'provider'
    const token = access.kind === 'account' ? access.token : undefined
    const client = new sdk.CopilotClient({
      connection: { kind: 'stdio' },
      // Excludes configuration of the user and the workspace, skills, plugins, memory and session telemetry.
      mode: 'empty',
      workingDirectory: folder,
      baseDirectory: folder,
      logLevel: 'none',
      env: runtimeEnvironment(env, folder, isOffline),
      useLoggedInUser: !isOffline && token === undefined,
      ...(token !== undefined && { gitHubToken: token }),
    })
    swallowWriteErrors(client)
    const runtime = new CopilotRuntime(client, folder)
    process.once('exit', runtime.#onExit)
    const starting = client.start()
    try {
      await withTimeout(clock, startTimeout, starting)
    } catch (error) {
      runtime.end()
      // It may have started too late to be killed: then it is killed afterwards.
      starting.then(() => client.forceStop()).catch(() => {})
      throw error
    }
    runtime.#watch()
    return runtime
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Returns a function that removes the listener. */
  whenEnded(listener: () => void): () => void {
    if (this.#isEnded) listener()
    else this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves with false if it does not answer within `ms`. */
  async answers(clock: Clock, ms: number): Promise<boolean> {
    if (this.#isEnded) return false
    return withTimeout(clock, ms, this.client.ping()).then(
      () => true,
      () => false,
    )
  }

  /** Kills the process. It has no children, and everything it knows is also in the session journals. */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    process.off('exit', this.#onExit)
    // Kills synchronously, before its first await.
    void this.client.forceStop().catch(() => {})
    removeFolder(this.folder)
    for (const listener of [...this.#listeners]) listener()
    this.#listeners.clear()
  }

  #watch(): void {
    const child = this.client.cliProcess
    if (!child) return
    child.once('exit', () => this.end())
    if (child.exitCode !== null || child.signalCode !== null) this.end()
    // The SDK copies the runtime's output to standard error, where it would garble Cadre's output.
    child.stderr?.removeAllListeners('data').resume()
    for (const part of [child, child.stdin, child.stdout, child.stderr])
      (part as { unref?: () => void } | null)?.unref?.()
  }
}

/**
 * A request that cannot be written to the runtime rejects twice: for the caller, and inside `vscode-jsonrpc`, where it is
 * unhandled and would end this process. The SDK handles both once it knows that the runtime has exited, which can be too
 * late.
 */
function swallowWriteErrors(client: SdkClient): void {
  let current: unknown = null
  Object.defineProperty(client, 'messageWriter', {
    get: () => current,
    set(writer: { suppressWriteErrors?: boolean } | null) {
      if (writer) writer.suppressWriteErrors = true
      current = writer
    },
  })
}

const passedVariables = /^(XDG_(CONFIG_HOME|RUNTIME_DIR)|GH_HOST|GH_CONFIG_DIR|COPILOT_API_URL)$/i

/** The environment of the runtime. Keys of other services are not passed, and its files stay in its folder. */
export function runtimeEnvironment(env: Environment, folder: string, isOffline: boolean): Environment {
  const own = { XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder, XDG_DATA_HOME: folder }
  return {
    ...childEnvironment(env, passedVariables),
    ...own,
    // A signed-in account is found through the home directory.
    ...(isOffline && { HOME: folder, COPILOT_OFFLINE: 'true' }),
  }
}

/** Rejects if it takes longer. */
function withTimeout<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => reject(new Error(`no answer within ${ms / 1000} seconds`)))
    work.then(resolve, reject).finally(stop)
  })
}
