import type { ServerProcess } from '../copilot-ls/server-process.ts'
import { systemClock } from '../pause.ts'
import {
  type Account,
  readAccount,
  readStoredAccount,
  readSubscription,
  type Subscription,
} from './account.ts'
import { type AccountModel, readModels, readModes, type ServerMode } from './catalogue.ts'
import { readCache, updateCache } from './copilot-cache.ts'
import { installedServer } from './copilot-packages.ts'
import { storedSignIns, tokenVariable } from './stored-copilot-sign-in.ts'
import { type CopilotOptions, withServer } from './with-server.ts'

/** The state of Copilot on this machine. Facts that were not available in time are absent. */
export interface CopilotStatus {
  readonly account?: Account
  readonly subscription?: Subscription
  readonly models?: readonly AccountModel[]
  readonly modes?: readonly ServerMode[]
  /** Why facts are missing; a full sentence. */
  readonly trouble?: string
}

export interface InspectCopilotOptions extends CopilotOptions {
  /** The time limit for everything, in milliseconds. */
  readonly limit: number
}

/** Asks the language server who is signed in and which models are available, within a time limit. Returns undefined if there is no server. */
export async function inspectCopilot(options: InspectCopilotOptions): Promise<CopilotStatus | undefined> {
  const { env, clock = systemClock, limit } = options
  const stopper = new AbortController()
  const cancelTimer = clock.after(limit, () => stopper.abort())
  let found: CopilotStatus = {}
  const add = (more: CopilotStatus) => {
    if (!stopper.signal.aborted) found = { ...found, ...more }
  }
  const result = await withServer(options, (server) => ask(server, add), stopper.signal)
  cancelTimer()
  if (result.kind === 'missing') return undefined
  if (result.kind === 'failed') return { trouble: result.message }
  if (result.kind === 'cancelled') {
    const trouble = `the Copilot language server did not answer all requests within ${limit / 1000} s.`
    return { ...found, trouble }
  }
  storeSurvey(options, found, env)
  return found
}

async function ask(server: ServerProcess, add: (more: CopilotStatus) => void): Promise<void> {
  // Available immediately, and replaced when GitHub has answered.
  const stored = await readStoredAccount(server)
  add({ account: stored })
  if (stored.kind === 'signed-out') return
  await Promise.all([
    readAccount(server).then(async (account) => {
      add({ account })
      if (account.kind !== 'signed-in') return
      await Promise.all([
        readSubscription(server).then((subscription) => add({ subscription })),
        readModels(server).then((models) => add(models === undefined ? {} : { models })),
      ])
    }),
    readModes(server).then((modes) => add(modes === undefined ? {} : { modes })),
  ])
}

function storeSurvey(
  options: InspectCopilotOptions,
  { account, models, modes }: CopilotStatus,
  env: InspectCopilotOptions['env'],
): void {
  const { clock = systemClock } = options
  const version = installedServer(options)?.version
  if (modes !== undefined && version !== undefined) updateCache(env, { modes: { version, list: modes } })
  if (account?.kind === 'signed-in') cacheSignIn(env, account.user, clock.now(), models)
  if (account?.kind === 'signed-out') cacheSignOut(env)
}

export function cacheSignIn(
  env: InspectCopilotOptions['env'],
  user: string,
  at: number,
  models: readonly AccountModel[] | undefined,
): void {
  const variable = tokenVariable(env)
  const model = models?.find(({ isDefault }) => isDefault)?.id
  updateCache(env, {
    account: {
      kind: 'signed-in',
      user,
      ...(variable !== undefined && { variable }),
      ...(model !== undefined && { model }),
      at,
    },
  })
}

/** Called when the server has exited, because it writes to its files until then. */
export function cacheSignOut(env: InspectCopilotOptions['env']): void {
  updateCache(env, { account: { kind: 'signed-out', stored: storedSignIns(env) ?? '' } })
}

/** True if a user may be signed in, according to files and variables. Starts nothing. */
export function mayBeSignedIn(env: InspectCopilotOptions['env']): boolean {
  if (tokenVariable(env) !== undefined) return true
  const stored = storedSignIns(env)
  if (stored === undefined) return false
  const { account } = readCache(env)
  return account?.kind !== 'signed-out' || account.stored !== stored
}
