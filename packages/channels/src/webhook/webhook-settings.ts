import { CadreError, didYouMean, isObject, type Json, type JsonObject } from '@cadre/core'
import { lineFileName } from '@cadre/home'
import { type RequestSigning, type SigningScheme, signingSchemes } from '../verify-request.ts'

/** One endpoint, and how senders authenticate. */
export interface HookSettings extends RequestSigning {
  readonly name: string
  /** The environment variable with the secret. */
  readonly secretEnv: string
  /** The header with the request id, by which Cadre detects repeated deliveries. */
  readonly idHeader: string | undefined
  readonly eventHeader: string
  /** The file in `inbox/`. */
  readonly file: string
}

const schemeDefaults: {
  readonly [scheme in SigningScheme]: { header: string; id?: string; event: string; timestamp?: string }
} = {
  github: { header: 'x-hub-signature-256', id: 'x-github-delivery', event: 'x-github-event' },
  slack: { header: 'x-slack-signature', event: 'x-slack-event', timestamp: 'x-slack-request-timestamp' },
  'hmac-sha256': { header: 'x-signature-256', event: 'x-event' },
  token: { header: 'authorization', id: 'idempotency-key', event: 'x-event' },
}

const keys = [
  'scheme',
  'secret_env',
  'header',
  'timestamp_header',
  'tolerance_seconds',
  'id_header',
  'event_header',
  'to_file',
]
const hookName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/
const headerName = /^[A-Za-z0-9-]{1,100}$/
const variable = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/

/** Reads `channels.webhook`. Throws a `CadreError` that names the key and the expected value. */
export function readWebhookSettings(settings: JsonObject): readonly HookSettings[] {
  for (const key of Object.keys(settings)) {
    if (key !== 'hooks')
      throw fault(key, `There is no such key${didYouMean(key, ['hooks']) || '. The only key is hooks.'}`)
  }
  const { hooks } = settings
  if (!isObject(hooks))
    throw fault('hooks', 'This must be a mapping of names to settings, one for each address.')
  return Object.entries(hooks).map(([name, hook]) => readHook(name, hook))
}

function readHook(name: string, given: Json): HookSettings {
  const place = `hooks.${name}`
  if (!hookName.test(name)) throw fault(place, 'A name consists of letters, digits, hyphens and underscores.')
  if (!isObject(given)) throw fault(place, 'Set scheme and secret_env below it.')
  for (const key of Object.keys(given)) {
    if (key === 'secret' || key === 'token')
      throw fault(
        `${place}.${key}`,
        'Do not write secrets to a file. Put the secret in an environment variable and its name in secret_env.',
      )
    if (!keys.includes(key))
      throw fault(
        `${place}.${key}`,
        `There is no such key${didYouMean(key, keys) || `. Known keys: ${keys.join(', ')}.`}`,
      )
  }
  const textAt = (key: string, pattern: RegExp, what: string): string | undefined => {
    const value = given[key]
    if (value === undefined || value === null) return undefined
    if (typeof value === 'string' && pattern.test(value)) return value
    throw fault(`${place}.${key}`, `This must be ${what}.`)
  }
  const header = (key: string) => textAt(key, headerName, 'the name of a header')?.toLowerCase()
  const scheme = signingSchemes.find((one) => one === given['scheme'])
  if (scheme === undefined)
    throw fault(`${place}.scheme`, `This must be one of: ${signingSchemes.join(', ')}.`)
  const secretEnv = textAt(
    'secret_env',
    variable,
    'the name of the environment variable that holds the secret',
  )
  if (secretEnv === undefined)
    throw fault(
      `${place}.secret_env`,
      'This key is required: the name of the environment variable that holds the secret.',
    )
  const tolerance = given['tolerance_seconds'] ?? 300
  if (typeof tolerance !== 'number' || !Number.isInteger(tolerance) || tolerance < 1 || tolerance > 86_400)
    throw fault(`${place}.tolerance_seconds`, 'This must be a number of seconds, 1 to 86400.')
  const timestampHeader = header('timestamp_header') ?? schemeDefaults[scheme].timestamp
  if (given['tolerance_seconds'] !== undefined && timestampHeader === undefined)
    throw fault(
      `${place}.tolerance_seconds`,
      'Also set timestamp_header: the name of the header that contains the timestamp.',
    )
  return {
    name,
    scheme,
    secretEnv,
    header: header('header') ?? schemeDefaults[scheme].header,
    timestampHeader,
    tolerance,
    idHeader: header('id_header') ?? schemeDefaults[scheme].id,
    eventHeader: header('event_header') ?? schemeDefaults[scheme].event,
    file: fileOf(given['to_file'], name, place),
  }
}

function fileOf(given: Json | undefined, name: string, place: string): string {
  if (given === undefined || given === null) return lineFileName(name)
  try {
    if (typeof given === 'string') return lineFileName(given)
  } catch {
    // Reported below, with its key.
  }
  throw fault(`${place}.to_file`, 'This must be the name of a file in inbox/, such as github.')
}

function fault(key: string, message: string): CadreError {
  return new CadreError('configuration', message, { where: `config.yaml: channels.webhook.${key}` })
}
