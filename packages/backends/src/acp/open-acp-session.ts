import { objectOf, textOf } from '../json-values.ts'
import type { AgentProcess } from './agent-process.ts'
import type { PeerAnswer } from './json-lines-peer.ts'
import type { ToolServerHandle } from './offer-tools.ts'
import { type AgentProgram, type PreparedProgram, serverName } from './program.ts'
import { type ConfigOption, readOptions } from './updates.ts'

export interface OpenOptions {
  readonly process: AgentProcess
  readonly program: AgentProgram
  readonly prepared: PreparedProgram
  readonly offering: ToolServerHandle
  readonly cwd: string
  readonly needsTools: boolean
  readonly model: string | undefined
  readonly hide: (text: string) => string
}

export type OpenedSession =
  | {
      readonly kind: 'opened'
      readonly session: string
      /** The mode that Cadre chose, or found. Nobody else may change it. */
      readonly mode: string | undefined
      readonly canSee: boolean
    }
  | OpenFailure

export interface OpenFailure {
  readonly kind: 'failed'
  /** A full sentence. */
  readonly message: string
  readonly isTransient: boolean
}

/** The error code of a program that nobody has signed in to. */
export const authenticationRequired = -32000

/** Opens a session in a program that has just started: handshake, tools, mode and model. */
export async function openAcpSession(options: OpenOptions): Promise<OpenedSession> {
  const { program, prepared, offering, cwd, needsTools } = options
  const { peer } = options.process
  const { title } = program
  const hello = await peer.request('initialize', {
    protocolVersion: 1,
    clientInfo: { name: 'cadre', title: 'Cadre', version: '0.1.0' },
    // No file system and no terminals: the program would use them without asking.
    clientCapabilities: {},
  })
  if (hello.kind !== 'answer') return refused(options, 'start', hello)
  const { protocolVersion, agentCapabilities } = objectOf(hello.value)
  if (protocolVersion !== 1)
    return failed(`${title} does not support version 1 of the Agent Client Protocol.`)
  const { promptCapabilities, mcpCapabilities } = objectOf(agentCapabilities)
  const takesTools = objectOf(mcpCapabilities)['http'] === true
  if (!takesTools && needsTools)
    return failed(`${title} cannot use MCP servers over HTTP, so it cannot use Cadre's tools.`)
  if (prepared.authenticate !== undefined) {
    const signedIn = await peer.request('authenticate', { methodId: prepared.authenticate })
    if (signedIn.kind !== 'answer') return refused(options, 'sign in', signedIn)
  }
  const headers = [{ name: 'Authorization', value: `Bearer ${offering.token}` }]
  const made = await peer.request('session/new', {
    cwd,
    // Never a server as a program: some agents ignore it, and then would work without any tool.
    mcpServers: takesTools ? [{ type: 'http', name: serverName, url: offering.url, headers }] : [],
    ...(prepared.meta && { _meta: prepared.meta }),
  })
  if (made.kind !== 'answer') return refused(options, 'open a session', made)
  const { sessionId, configOptions, modes } = objectOf(made.value)
  if (typeof sessionId !== 'string' || sessionId === '')
    return failed(`${title} could not open a session: its response is invalid.`)
  const found = readOptions(configOptions)
  const mode = await chooseMode(options, sessionId, found, textOf(objectOf(modes)['currentModeId']))
  if (typeof mode === 'object') return mode
  const breach = findControlBreach(
    found.filter((option) => !isMode(option)),
    mode,
    title,
  )
  if (breach !== undefined) return failed(breach)
  const unfit = await chooseModel(options, sessionId, found)
  if (unfit !== undefined) return unfit
  const canSee = objectOf(promptCapabilities)['image'] === true
  return { kind: 'opened', session: sessionId, mode, canSee }
}

/** Returns why a program with these options acts without asking. */
export function findControlBreach(
  options: readonly ConfigOption[],
  mode: string | undefined,
  title: string,
): string | undefined {
  for (const option of options) {
    if (option.id === 'allow_all' && option.value !== 'off')
      return `${title} turned off all permission requests, so Cadre cannot control it.`
    if (isMode(option) && mode !== undefined && option.value !== mode)
      return `${title} switched to the mode "${option.value.slice(0, 100)}", which Cadre did not choose.`
  }
  return undefined
}

function isMode({ id, category }: ConfigOption): boolean {
  return category === 'mode' || id === 'mode'
}

/** Chooses the mode in which the program asks most. Returns the mode. */
async function chooseMode(
  { process, prepared, program }: OpenOptions,
  sessionId: string,
  options: readonly ConfigOption[],
  current: string,
): Promise<string | undefined | OpenFailure> {
  const option = options.find(isMode)
  const found = option?.value ?? (current || undefined)
  const { mode: wanted } = prepared
  if (wanted === undefined || wanted === found) return found
  const answer =
    option === undefined
      ? await process.peer.request('session/set_mode', { sessionId, modeId: wanted })
      : await process.peer.request('session/set_config_option', {
          sessionId,
          configId: option.id,
          value: wanted,
        })
  if (answer.kind === 'answer') return wanted
  return failed(
    `${program.title} has no mode "${wanted}". Cadre needs this mode, because it makes the program ask before it acts.`,
  )
}

async function chooseModel(
  { process, prepared, program, model }: OpenOptions,
  sessionId: string,
  options: readonly ConfigOption[],
): Promise<OpenFailure | undefined> {
  if (model === undefined || prepared.hasModel) return undefined
  const { title, name } = program
  const option = options.find(({ category, id }) => category === 'model' || id === 'model')
  if (option === undefined) return failed(`${title} does not let Cadre choose a model. Use acp:${name}.`)
  if (!option.values.includes(model))
    return failed(`${title} has no model "${model}". Its models: ${option.values.slice(0, 10).join(', ')}.`)
  const answer = await process.peer.request('session/set_config_option', {
    sessionId,
    configId: option.id,
    value: model,
  })
  return answer.kind === 'answer' ? undefined : failed(`${title} did not accept the model "${model}".`)
}

async function refused(
  { process, program, hide }: OpenOptions,
  what: string,
  answer: Exclude<PeerAnswer, { kind: 'answer' }>,
): Promise<OpenFailure> {
  if (answer.kind === 'gone') return { kind: 'failed', message: await process.ended, isTransient: true }
  const { title, signIn } = program
  if (answer.code !== authenticationRequired)
    return failed(`${title} could not ${what}: ${hide(answer.message)}.`)
  return failed(
    `${title} is not signed in: ${hide(answer.message)}.${signIn === undefined ? '' : ` ${signIn}`}`,
  )
}

function failed(message: string): OpenFailure {
  return { kind: 'failed', message, isTransient: false }
}
