import { type Model, type ModelResolution, matchModel, messageOf, nearestModels } from '@cadre/core'
import type { Backend, BackendContext, ModelInfo } from '../backend.ts'
import { missingServerMessage } from '../copilot-access/missing-server.ts'
import { hideTokens, tokenHider } from '../hide-tokens.ts'
import { type ChatMode, chatModes } from '../models-config.ts'
import { copilotLsModel, type SharedModelParts } from './copilot-ls-model.ts'
import { findServer } from './find-server.ts'
import type { LsConversation } from './ls-conversation.ts'
import { factsIn, modelsForChat } from './server-models.ts'
import { ServerNotices } from './server-notices.ts'
import { ServerPool } from './server-pool.ts'
import type { Answer } from './server-process.ts'
import { ToolServer } from './tool-server.ts'
import { isSignInNeeded, signInHint } from './turn-failure.ts'
import { invalidResponseMessage } from './wire-readers.ts'
import type { ServerModel } from './wire-types.ts'

type ModelListing =
  | { readonly kind: 'listed'; readonly models: ReadonlyMap<string, ServerModel> }
  | { readonly kind: 'failed'; readonly reason: string }

/** How long a list is cached, in milliseconds. */
const listingAge = 5 * 60_000

/** GitHub Copilot through its language server. Nothing starts before a model is requested. */
export async function openCopilotLs(context: BackendContext): Promise<Backend> {
  const { config, env, clock } = context
  const settings = config.copilot ?? {}
  const board = new ServerNotices(tokenHider(env))
  const pool = new ServerPool<ToolServer>({
    clock,
    ...(settings.processes !== undefined && { limit: settings.processes }),
    ...(settings.idleTimeout !== undefined && { waitTimeoutMs: settings.idleTimeout }),
    async open(changed) {
      const places = { env, configured: settings.server }
      const command = findServer(places)
      if (command === undefined) return { kind: 'failed', message: missingServerMessage(places) }
      return ToolServer.open({
        command,
        env,
        clock,
        changed,
        notified: (method, params) => board.notified(method, params),
      })
    },
  })
  const shared: SharedModelParts = {
    pool,
    board,
    clock,
    conversations: new Map<string, LsConversation>(),
    idleTimeout: settings.idleTimeout ?? 120_000,
    tries: settings.tries ?? 3,
    subagents: settings.subagents ?? false,
  }
  const opened = new Map<string, Model>()
  let listing: { readonly at: number; readonly listed: Promise<ModelListing> } | undefined

  return {
    async open(written, factsOf) {
      const { name, mode, suffix } = splitMode(written)
      if (name === '')
        return unknown(
          written,
          [],
          'copilot-ls: must be followed by a model name, for example copilot-ls:gpt-5.',
        )
      if (mode === undefined)
        return unknown(
          written,
          chatModes.map((known) => `${name}@${known}`),
          `there is no mode ${JSON.stringify(suffix)}.`,
        )
      const listed = await list()
      if (listed.kind === 'failed') return { ...unknown(written, [], listed.reason), unreachable: true }
      const known = listed.models.has(name) ? name : matchModel(name, listed.models.keys())
      const entry = known === undefined ? undefined : listed.models.get(known)
      if (known === undefined || entry === undefined)
        return notListed(written, name, [...listed.models.keys()])
      const id = suffix === undefined ? known : `${known}@${mode}`
      return { kind: 'found', model: modelOf(id, known, mode, entry, factsOf(known)) }
    },
    async names() {
      const listed = await list()
      return listed.kind === 'listed' ? [...listed.models.keys()] : []
    },
    async close() {
      await pool.close()
    },
  }

  function splitMode(written: string): {
    name: string
    mode: ChatMode | undefined
    suffix: string | undefined
  } {
    const at = written.lastIndexOf('@')
    if (at < 0) return { name: written, mode: settings.mode ?? 'Agent', suffix: undefined }
    const suffix = written.slice(at + 1)
    const mode = chatModes.find((known) => known.toLowerCase() === suffix.toLowerCase())
    return { name: written.slice(0, at), mode, suffix }
  }

  function list(): Promise<ModelListing> {
    const now = context.clock.now()
    if (listing === undefined || now - listing.at >= listingAge) {
      const fresh = { at: now, listed: askForModels().catch(unlisted) }
      listing = fresh
      // A person who has just signed in should not have to wait.
      void fresh.listed.then(({ kind }) => {
        if (kind === 'failed' && listing === fresh) listing = undefined
      })
    }
    return listing.listed
  }

  async function askForModels(): Promise<ModelListing> {
    const answer = await ask('copilot/models')
    if (answer.kind === 'answer') {
      const models = modelsForChat(answer.value)
      return models === undefined
        ? { kind: 'failed', reason: invalidResponseMessage('copilot/models') }
        : { kind: 'listed', models: new Map(models.map((model) => [model.id, model])) }
    }
    if (answer.kind === 'refused' && isSignInNeeded(answer.code))
      return { kind: 'failed', reason: `you are not signed in to GitHub Copilot. ${signInHint}` }
    return { kind: 'failed', reason: answer.message }
  }

  async function ask(method: string): Promise<Answer> {
    const stopper = new AbortController()
    const cancelTimer = clock.after(shared.idleTimeout, () => stopper.abort())
    const gone: Answer = { kind: 'gone', message: `the Copilot language server did not answer ${method}.` }
    const late = new Promise<Answer>((resolve) => {
      stopper.signal.addEventListener('abort', () => resolve(gone))
    })
    const alive = setInterval(() => {}, 2 ** 31 - 1)
    const begun = await pool.ask(
      (server) => Promise.race([server.process.request(method), late]),
      stopper.signal,
    )
    clearInterval(alive)
    cancelTimer()
    if (begun.kind === 'begun') return begun.value
    return begun.kind === 'failed' ? { kind: 'gone', message: begun.message } : gone
  }

  /** Returns the same object for the same name. */
  function modelOf(id: string, name: string, mode: ChatMode, entry: ServerModel, facts: ModelInfo): Model {
    const found = { ...factsIn(entry), ...facts }
    let model = opened.get(id)
    if (model === undefined || model.window !== found.window || model.maxOutput !== found.maxOutput) {
      const multiplier = entry.billing?.multiplier
      const canSee = entry.capabilities?.supports?.vision === true
      model = copilotLsModel(
        {
          name,
          id: `copilot-ls:${id}`,
          mode,
          facts: found,
          canSee,
          ...(multiplier !== undefined && { multiplier }),
        },
        shared,
      )
      opened.set(id, model)
    }
    return model
  }
}

function unlisted(error: unknown): ModelListing {
  const why = messageOf(error)
  return { kind: 'failed', reason: `cannot list the GitHub Copilot models: ${hideTokens(why)}` }
}

function notListed(written: string, name: string, names: readonly string[]): ModelResolution {
  const near = nearestModels(name, names)
  return unknown(
    written,
    near.length > 0 ? near : names.slice(0, 5),
    `your Copilot plan does not offer a model named ${JSON.stringify(name)}.`,
  )
}

function unknown(name: string, near: readonly string[], reason: string): ModelResolution {
  return {
    kind: 'unknown',
    name: `copilot-ls:${name}`,
    nearest: near.map((found) => `copilot-ls:${found}`),
    reason,
  }
}
