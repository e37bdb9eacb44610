import { CadreError } from '@cadre/core'
import { homeOf, loadSettings, untrustedItems } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { handleStopSignals } from '../../run/handle-stop-signals.ts'
import { type BackendName, type Candidate, modelsOf, serverCandidate, withoutServers } from './candidate.ts'
import { promptForSetup } from './prompt-for-setup.ts'
import { storeChoice, storeKey } from './store-choice.ts'
import { testModel } from './test-model.ts'

export interface SetupFlags {
  readonly backend?: BackendName
  readonly baseUrl?: string
  readonly model?: string
  readonly keyCommand?: string
  readonly keyStdin?: boolean
  readonly noTest?: boolean
  readonly yes?: boolean
  readonly home?: string
  readonly json?: boolean
}

/** `cadre setup`. */
export async function runSetup(io: Io, flags: SetupFlags): Promise<ExitCode> {
  const isNamed = flags.backend !== undefined || flags.model !== undefined || flags.baseUrl !== undefined
  if (!flags.yes && !flags.json && !isNamed && isTerminal(io)) {
    const code = await setUpInTerminal(io, flags.home)
    if (code === exitCodes.done) io.stdout.write('Try it: cadre run "What does this project do?"\n')
    return code
  }
  return untilInterrupted((signal) => setupByFlags(io, flags, signal))
}

/** Asks the user in the terminal. */
export function setUpInTerminal(io: Io, home: string | undefined): Promise<ExitCode> {
  return untilInterrupted(async (signal, stop) => {
    const ended = await promptForSetup(io, await configOf(io, home), signal, stop)
    if (ended.kind === 'stored') {
      warnOverrides(io)
      return exitCodes.done
    }
    io.stderr.write('cadre: Cancelled. Nothing was stored.\n')
    return exitCodes.cancelled
  })
}

async function untilInterrupted<T>(work: (signal: AbortSignal, stop: () => void) => Promise<T>): Promise<T> {
  const stopper = new AbortController()
  const stop = () => stopper.abort()
  const giveBack = handleStopSignals(stop, () => process.exit(130))
  try {
    return await work(stopper.signal, stop)
  } finally {
    giveBack()
  }
}

function isTerminal(io: Io): boolean {
  return io.stdin.isTTY === true && io.stdout.isTTY
}

/** The settings in effect. An untrusted project is ignored. */
async function configOf(io: Io, wanted: string | undefined) {
  const home = homeOf(io, wanted)
  const homeTrusted = (await untrustedItems(io, home)).length === 0
  return (await loadSettings(io, home, { homeTrusted })).config
}

async function setupByFlags(io: Io, flags: SetupFlags, signal: AbortSignal): Promise<ExitCode> {
  const { candidate, key } = await candidateOf(io, flags)
  const model = await modelFor(io, candidate, flags.model)
  const tested = flags.noTest ? undefined : await testModel(io, candidate, model, signal)
  if (tested?.kind === 'cancelled') throw new CadreError('cancelled', 'cancelled. Nothing was stored.')
  if (tested?.kind === 'failed')
    throw new CadreError(
      'backend',
      `${tested.message} Nothing was stored. --no-test stores the choice without a test.`,
    )
  const id = tested?.model ?? model
  const settings = [...candidate.settings]
  let store: string | undefined
  if (key !== undefined) {
    const section = candidate.backend === 'anthropic' ? 'anthropic' : 'openai'
    const host = flags.baseUrl === undefined ? `api.${section}.com` : new URL(flags.baseUrl).host
    const stored = await storeKey(io, `${section}@${host}`, key)
    if ('reasons' in stored)
      throw new CadreError(
        'configuration',
        `the key cannot be stored on this machine: ${stored.reasons.join('; ') || 'no secret store was found'}. Use --key-command, or set ${section === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'}. Nothing was stored.`,
      )
    store = stored.store
    settings.push({ keys: [section, 'keyCommand'], value: stored.keyCommand })
  }
  const file = storeChoice(io, id, settings)
  if (flags.json)
    io.stdout.write(
      `${JSON.stringify({ type: 'setup', model: id, file, tested: tested !== undefined, ...(store && { store }) })}\n`,
    )
  else {
    if (tested !== undefined)
      io.stdout.write(`${cleanLine(id)} answered in ${(tested.ms / 1000).toFixed(1)} s.\n`)
    if (store !== undefined) io.stdout.write(`The key is in ${store}.\n`)
    io.stdout.write(`Stored ${cleanLine(id)} as your default model in ${cleanLine(file)}.\n`)
  }
  warnOverrides(io)
  return exitCodes.done
}

async function candidateOf(
  io: Io,
  flags: SetupFlags,
): Promise<{ readonly candidate: Candidate; readonly key?: string }> {
  const prefix = /^(openai|responses|anthropic|copilot-ls):/.exec(flags.model ?? '')?.[1] as
    | BackendName
    | undefined
  const backend = flags.backend ?? prefix
  if (backend === undefined)
    throw new CadreError(
      'usage',
      'name the backend and the model: cadre setup --backend openai --base-url http://127.0.0.1:11434/v1 --model NAME --yes. In a terminal, "cadre setup" asks for them.',
    )
  if (prefix !== undefined && prefix !== backend)
    throw new CadreError('usage', `--backend ${backend} and --model ${flags.model} name different backends.`)
  const { baseUrl, keyCommand } = flags
  if (backend === 'copilot-ls') {
    if (baseUrl !== undefined || keyCommand !== undefined || flags.keyStdin)
      throw new CadreError(
        'usage',
        'copilot-ls takes neither an address nor a key. Sign in with "cadre login".',
      )
    return {
      candidate: {
        backend,
        label: backend,
        config: await configOf(io, flags.home),
        env: io.env,
        settings: [],
      },
    }
  }
  if (keyCommand !== undefined && flags.keyStdin)
    throw new CadreError('usage', 'use either --key-command or --key-stdin, not both.')
  const key = flags.keyStdin ? await keyFromInput(io) : undefined
  const named = serverCandidate(io, { backend, label: backend, baseUrl, keyCommand, key })
  // Without its own address or key, the environment and the configuration apply.
  if (baseUrl === undefined && keyCommand === undefined && key === undefined)
    return { candidate: { ...named, config: await configOf(io, flags.home), env: io.env } }
  const keyVariable = backend === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'
  const own = key ?? (keyCommand === undefined ? io.env[keyVariable] : undefined)
  const env = { ...withoutServers(io.env), ...(own && { [keyVariable]: own }) }
  return { candidate: { ...named, env }, ...(key !== undefined && { key }) }
}

async function keyFromInput(io: Io): Promise<string> {
  let text = ''
  for await (const chunk of io.stdin) text += String(chunk)
  if (text.trim() === '') throw new CadreError('usage', 'there is no key on standard input.')
  return text.trim()
}

async function modelFor(io: Io, candidate: Candidate, wanted: string | undefined): Promise<string> {
  const { backend } = candidate
  if (wanted !== undefined) return wanted.startsWith(`${backend}:`) ? wanted : `${backend}:${wanted}`
  const { models, defaultModel, trouble } = await modelsOf(io, candidate)
  const [only, ...others] = models
  if (defaultModel !== undefined) return defaultModel
  if (only !== undefined && others.length === 0) return only.id
  if (trouble !== undefined) throw new CadreError('backend', trouble)
  const names = models.slice(0, 10).map(({ id }) => id)
  throw new CadreError(
    'usage',
    `choose a model with --model: ${names.join(', ')}${models.length > 10 ? ', …' : ''}.`,
  )
}

/** Warns about settings that take precedence. */
function warnOverrides(io: Io): void {
  if (io.env['CADRE_MODEL']?.trim())
    io.warn('CADRE_MODEL is set and takes precedence over your configuration.')
}
