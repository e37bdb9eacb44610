import { type ListedModel, type ModelsConfig, readKeyFromCommand } from '@cadre/backends'
import { CadreError, matchModel } from '@cadre/core'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { formatAmount } from '../../output/numbers.ts'
import { availableWidth, textTable } from '../../output/text-table.ts'
import { wrapForTerminal } from '../../output/wrap-for-terminal.ts'
import { readLine } from '../../run/ask-line.ts'
import {
  type Candidate,
  type CandidateModels,
  findCandidates,
  modelsOf,
  type ServerChoice,
  serverCandidate,
} from './candidate.ts'
import { defaultApiAddress, serverAddress } from './server-address.ts'
import { type StoredKey, storeChoice, storeKey } from './store-choice.ts'
import { type TestResult, testModel } from './test-model.ts'

export type SetupOutcome =
  | { readonly kind: 'stored'; readonly model: string }
  | { readonly kind: 'cancelled' }

class Cancelled extends Error {}

/** The choice of the person, and how to repeat it with another key. */
interface SetupChoice {
  readonly candidate: Candidate
  readonly key?: string
  readonly withOtherKey?: () => Promise<SetupChoice | undefined>
}

/** The most keys that a person can try before choosing again. */
const maxKeys = 3

/** Asks in a terminal until a model answers, and stores it. Writes nothing before the end. */
export async function promptForSetup(
  io: Io,
  config: ModelsConfig,
  signal: AbortSignal,
  stop: () => void,
): Promise<SetupOutcome> {
  const ask = async (prompt: string): Promise<string> => {
    const said = signal.aborted ? undefined : await readLine(io, prompt, { signal, interrupt: stop })
    if (said !== undefined) return said
    // Ends the line of the question.
    io.stdout.write('\n')
    throw new Cancelled()
  }
  const tell = (text: string) => void io.stdout.write(`${wrapForTerminal(io.stdout, text)}\n`)
  try {
    tell('Looking for model servers, keys and sign-ins on this machine…')
    const found = await findCandidates(io, config)
    for (;;) {
      const chosen = await chooseCandidate(found)
      const settled = chosen && (await settle(chosen))
      if (settled === undefined) continue
      const { candidate, key, model } = settled
      const stored = key === undefined ? undefined : await keepKey(candidate, key)
      if (key !== undefined && stored === undefined) continue
      const settings = [
        ...candidate.settings,
        ...(stored?.keyCommand
          ? [{ keys: [sectionOf(candidate), 'keyCommand'], value: stored.keyCommand }]
          : []),
      ]
      const file = storeChoice(io, model, settings)
      if (stored?.store) tell(`The key is in ${stored.store}.`)
      tell(
        `Stored ${cleanLine(model)} as your default model in ${cleanLine(file)}. To change it, run "cadre setup".`,
      )
      return { kind: 'stored', model }
    }
  } catch (error) {
    if (error instanceof Cancelled) return { kind: 'cancelled' }
    throw error
  }

  /** Chooses a model and tests it. While the server rejects the key, asks for another one. */
  async function settle(first: SetupChoice): Promise<(SetupChoice & { readonly model: string }) | undefined> {
    let chosen: SetupChoice = first
    let model: string | undefined
    for (let keys = 1; ; keys++) {
      const { candidate } = chosen
      const otherKey = keys < maxKeys ? chosen.withOtherKey : undefined
      if (model === undefined) {
        const listed = await listModels(candidate)
        const other = listed.rejectsKey && otherKey !== undefined ? await otherKey() : undefined
        if (other !== undefined) {
          chosen = other
          continue
        }
        model = await chooseModel(candidate, listed)
      }
      if (model === undefined) return undefined
      const tested = await tryOut(candidate, model)
      if (tested.kind === 'ok') return { ...chosen, model }
      const other = tested.rejectsKey && otherKey !== undefined ? await otherKey() : undefined
      if (other === undefined)
        return /^y(es)?$/i.test(await ask('Store it anyway? y/N: ')) ? { ...chosen, model } : undefined
      chosen = other
    }
  }

  async function chooseCandidate(known: readonly Candidate[]): Promise<SetupChoice | undefined> {
    const others = [
      ['OpenAI, with an API key', () => withKey({ backend: 'openai', label: 'OpenAI' })],
      ['Anthropic, with an API key', () => withKey({ backend: 'anthropic', label: 'Anthropic' })],
      ['Another OpenAI-compatible server', askServer],
      ['GitHub Copilot: sign in', signIn],
    ] as const
    const labels = [...known.map(({ label }) => label), ...others.map(([label]) => label)]
    tell(known.length === 0 ? 'None found. Where does your model run?' : 'Where does your model run?')
    tell(labels.map((label, index) => `  ${index + 1}  ${cleanLine(label)}`).join('\n'))
    const number = await choose(labels.length, 1)
    const candidate = known[number - 1]
    return candidate === undefined ? others[number - 1 - known.length]?.[1]() : { candidate }
  }

  async function choose(maxModels: number, defaultChoice: number): Promise<number> {
    for (;;) {
      const said = await ask(`Number, 1 to ${maxModels} [${defaultChoice}]: `)
      const number = said === '' ? defaultChoice : Number(said)
      if (Number.isInteger(number) && number >= 1 && number <= maxModels) return number
      tell(`Enter a number from 1 to ${maxModels}.`)
    }
  }

  async function withKey(choice: ServerChoice, isOptional = false): Promise<SetupChoice | undefined> {
    const key = await askKey(isOptional ? 'hidden; Enter for none' : 'hidden')
    return key === '' && !isOptional ? undefined : chosenWith(choice, key)
  }

  async function askKey(about: string): Promise<string> {
    const key = await readLine(io, `API key (${about}): `, { signal, interrupt: stop, hidden: true })
    if (key === undefined) throw new Cancelled()
    return key
  }

  function chosenWith(choice: ServerChoice, key: string): SetupChoice {
    const withOtherKey = async () => {
      tell(key === '' ? 'The server requires a key.' : 'The server rejected the key.')
      const other = await askKey('hidden; Enter to skip')
      return other === '' ? undefined : chosenWith(choice, other)
    }
    if (key === '') return { candidate: serverCandidate(io, choice), withOtherKey }
    return { candidate: serverCandidate(io, { ...choice, key }), key, withOtherKey }
  }

  async function askServer(): Promise<SetupChoice | undefined> {
    const typed = await ask('Address (it usually ends in /v1): ')
    if (typed === '') return undefined
    const baseUrl = serverAddress(typed)
    if (baseUrl === undefined) {
      tell('This is not a valid address. Enter one such as http://127.0.0.1:8000/v1.')
      return askServer()
    }
    const choice = { backend: 'openai', label: baseUrl, baseUrl } as const
    const chosen = await withKey(choice, true)
    const defaultChoice = defaultApiAddress(baseUrl)
    if (chosen === undefined || defaultChoice === undefined) return chosen
    const atUsual = chosenWith({ ...choice, label: defaultChoice, baseUrl: defaultChoice }, chosen.key ?? '')
    const listed = await listModels(atUsual.candidate)
    if (listed.models.length === 0 && !listed.rejectsKey) return chosen
    tell(`The server's API is at ${cleanLine(defaultChoice)}.`)
    return atUsual
  }

  async function listModels(candidate: Candidate): Promise<CandidateModels> {
    try {
      return await modelsOf(io, candidate)
    } catch (error) {
      if (!(error instanceof CadreError)) throw error
      return { models: [], trouble: error.message }
    }
  }

  async function signIn(): Promise<SetupChoice | undefined> {
    const { login } = await import('../login/login.ts')
    const code = await login(io, {})
    if (code !== 0) return undefined
    return {
      candidate: { backend: 'copilot-ls', label: 'GitHub Copilot', config, env: io.env, settings: [] },
    }
  }

  function warn(candidate: Candidate, message: string): void {
    // Variables in the message are correct only for candidates from the environment and the configuration.
    io.warn(candidate.config === config ? message : withoutVariables(message))
  }

  async function chooseModel(candidate: Candidate, listed: CandidateModels): Promise<string | undefined> {
    const { defaultModel: defaultChoice, trouble } = listed
    // Embedding models cannot answer.
    const models = listed.models.filter(({ id }) => !/embed/i.test(id))
    if (trouble !== undefined) warn(candidate, trouble)
    if (models.length === 0) {
      const name = await ask('Model name (Enter to go back): ')
      return name === '' ? undefined : `${candidate.backend}:${name}`
    }
    return pick(models, defaultChoice)
  }

  async function pick(models: readonly ListedModel[], defaultChoice: string | undefined): Promise<string> {
    const first = models.findIndex(({ id }) => id === defaultChoice)
    const standard = first < 0 ? 1 : first + 1
    for (let shown = models; ; ) {
      tell(modelTable(io, models, shown.slice(0, maxModels)))
      if (shown.length > maxModels)
        tell(`… and ${shown.length - maxModels} more. Type a part of a name to search.`)
      const said = await ask(`Model: number, name or part of a name [${standard}]: `)
      const number = said === '' ? standard : Number(said)
      const byNumber = Number.isInteger(number) ? models[number - 1] : undefined
      if (byNumber !== undefined) return byNumber.id
      const ids = models.map(({ id }) => id)
      const names = ids.map((id) => id.slice(id.indexOf(':') + 1))
      const matched = matchModel(said, names)
      if (matched !== undefined) return ids[names.indexOf(matched)] as string
      const part = models.filter(({ id }) => id.toLowerCase().includes(said.toLowerCase()))
      if (part.length === 1) return (part[0] as ListedModel).id
      if (part.length === 0) tell('No model has this name.')
      shown = part.length === 0 ? models : part
    }
  }

  async function tryOut(
    candidate: Candidate,
    model: string,
  ): Promise<Exclude<TestResult, { kind: 'cancelled' }>> {
    tell(`Testing ${cleanLine(model)}…`)
    const tested = await testModel(io, candidate, model, signal)
    if (tested.kind === 'cancelled') throw new Cancelled()
    if (tested.kind === 'ok')
      tell(`${cleanLine(tested.model)} answered in ${(tested.ms / 1000).toFixed(1)} s.`)
    else warn(candidate, tested.message)
    return tested
  }

  /** Stores the key; undefined to go back. The key itself is never written to a file. */
  async function keepKey(candidate: Candidate, key: string): Promise<StoredKey | undefined> {
    const section = sectionOf(candidate)
    const baseUrl = candidate.config[section]?.baseUrl
    const host = baseUrl === undefined ? `api.${section}.com` : new URL(baseUrl).host
    const stored = await storeKey(io, `${section}@${host}`, key)
    if (!('reasons' in stored)) return stored
    const why = stored.reasons.length === 0 ? 'no secret store was found' : stored.reasons.join('; ')
    const variable = section === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'
    tell(`Cadre cannot store the key on this machine: ${cleanLine(why)}.`)
    tell(
      `Enter a command that prints it, such as "pass show ${section}". Or press Enter and set ${variable} yourself.`,
    )
    for (;;) {
      const keyCommand = await ask('Command: ')
      if (keyCommand === '') {
        tell(`Set ${variable} before you run Cadre, for example in your shell profile.`)
        return { store: '', keyCommand }
      }
      const problem = await keyCommandProblem(keyCommand, key)
      if (problem === undefined) return { store: '', keyCommand }
      tell(`${problem} Enter another command, or press Enter and set ${variable} yourself.`)
    }
  }

  /** Runs the command. Returns why it must not be stored; undefined if it prints the key. */
  async function keyCommandProblem(keyCommand: string, key: string): Promise<string | undefined> {
    if (keyCommand.includes(key))
      return 'This contains the key itself, and Cadre does not write keys to a file. A command reads the key from another place.'
    tell('Running the command…')
    const found = await readKeyFromCommand(keyCommand, { ...io.env }, 'The command', signal)
    if (signal.aborted) throw new Cancelled()
    if (found.kind === 'failed') return found.message
    return found.key === key ? undefined : 'The command printed a different key than the one tested.'
  }
}

const maxModels = 20

/** For a user who typed the address and the key, names of variables would be misleading. */
function withoutVariables(message: string): string {
  return message
    .replace(/ [A-Z]+_BASE_URL usually/g, ' The address usually')
    .replace(/[A-Z]+_BASE_URL, or [a-z]+\.baseUrl in config\.yaml/g, 'the address')
    .replace(/[A-Z]+_API_KEY/g, 'the key')
}

function sectionOf({ backend }: Candidate): 'openai' | 'anthropic' {
  return backend === 'anthropic' ? 'anthropic' : 'openai'
}

function modelTable(io: Io, all: readonly ListedModel[], shown: readonly ListedModel[]): string {
  const rows = shown.map((model) => [
    String(all.indexOf(model) + 1).padStart(3),
    cleanLine(model.id),
    model.window === undefined ? '' : `${formatAmount(model.window)} tokens`,
    model.price === undefined ? '' : `$${model.price.input} / $${model.price.output}`,
  ])
  const head = ['', 'MODEL', 'CONTEXT', 'PRICE PER MILLION']
  // Omits empty columns.
  const used = head.map((_, column) => column < 2 || rows.some((row) => row[column] !== ''))
  const kept = (row: readonly string[]) => row.filter((_, column) => used[column])
  return textTable(kept(head), rows.map(kept), availableWidth(io.stdout)).trimEnd()
}
