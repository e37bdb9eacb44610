import { validateHeaderName, validateHeaderValue } from 'node:http'
import { CadreError } from '@cadre/core'
import type { BackendContext } from '../backend.ts'
import type { OpenAiConfig } from '../models-config.ts'
import { type KeySource, keyFromCommand, keyFromText } from './key.ts'

/** An address as `node:http` takes it. */
export interface Target {
  readonly host: string
  readonly port: number
  readonly path: string
}

/** A server that speaks chat completions, and how to speak to it. */
export interface Endpoint {
  readonly isSecure: boolean
  /** For sentences: the address without anything secret. */
  readonly shown: string
  readonly key: KeySource
  /** False when it is configured that it cannot be asked for its models. */
  readonly lists: boolean
  target(model: string, path: string): Target
  headers(key: string | undefined): Record<string, string>
  /** The text with everything secret taken out; `key` is the one that was sent. */
  hide(text: string, key: string | undefined): string
}

const standardUrl = 'https://api.openai.com/v1'

/** Undefined when nothing is configured. The environment comes first, for the address and for the key. */
export function readEndpoint({ config, env }: BackendContext): Endpoint | undefined {
  const settings = config.openai ?? {}
  const text = env['OPENAI_API_KEY']?.trim() || undefined
  const hasKey = text !== undefined || settings.keyCommand !== undefined
  const base = env['OPENAI_BASE_URL']?.trim() || settings.baseUrl || (hasKey ? standardUrl : undefined)
  if (base === undefined) return undefined
  const url = checkedUrl(base, hasKey, settings)
  const key =
    text === undefined && settings.keyCommand !== undefined
      ? keyFromCommand(settings.keyCommand, { ...env })
      : keyFromText(text)
  const extra = checkedHeaders(settings.headers ?? {})
  const keyHeader = (settings.keyHeader ?? 'authorization').toLowerCase()
  checkedHeaders({ [keyHeader]: '' })
  return {
    isSecure: url.protocol === 'https:',
    shown: url.origin,
    key,
    lists: settings.list !== false && !base.includes('{model}'),
    target: (model, path) => targetOf(base.replaceAll('{model}', encodeURIComponent(model)), path, settings),
    headers: (secret) => ({
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      'accept-encoding': 'identity',
      'user-agent': 'cadre',
      ...extra,
      ...(secret !== undefined && {
        [keyHeader]: keyHeader === 'authorization' ? `Bearer ${secret}` : secret,
      }),
    }),
    hide: (shown, secret) => hide(shown, [secret, ...secretsIn(extra), ...secretsIn(settings.query ?? {})]),
  }
}

function checkedUrl(base: string, hasKey: boolean, settings: OpenAiConfig): URL {
  let url: URL
  try {
    url = new URL(base.replaceAll('{model}', 'model'))
  } catch {
    throw wrong(
      'the address of the model server is not a valid URL. Check OPENAI_BASE_URL, or openai.baseUrl in config.yaml.',
    )
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw wrong(`the address of the model server must start with https:// or http://, not ${url.protocol}`)
  if (url.username !== '' || url.password !== '')
    throw wrong(
      'the address of the model server must not contain a user name or password. Put the key in OPENAI_API_KEY.',
    )
  if (hasKey && url.protocol === 'http:' && !isThisMachine(url.hostname) && settings.allowInsecure !== true)
    throw wrong(
      `the key would be sent to ${url.origin} unencrypted. Use https://, or set openai.allowInsecure: true in config.yaml if the network is private.`,
    )
  return url
}

function isThisMachine(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || /^127(\.\d+){3}$/.test(host) || host === '[::1]'
  )
}

function targetOf(base: string, path: string, settings: OpenAiConfig): Target {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`
  for (const [name, value] of Object.entries(settings.query ?? {})) url.searchParams.set(name, value)
  if (settings.apiVersion !== undefined) url.searchParams.set('api-version', settings.apiVersion)
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  // Without the brackets of an IPv6 address, which belong to the URL and not to the host.
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, path: url.pathname + url.search }
}

function checkedHeaders(headers: { readonly [name: string]: string }): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      throw wrong(
        `HTTP does not allow some characters of header ${JSON.stringify(name)}. Correct openai.headers or openai.keyHeader in config.yaml.`,
      )
    }
  }
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Whole values, and what stands behind a word in them: the token of `Bearer TOKEN`. */
function secretsIn(values: { readonly [name: string]: string }): string[] {
  return Object.values(values).flatMap((value) => [
    value,
    ...value.split(/[\s=,;]+/).filter((part) => part.length >= 12),
  ])
}

// Shorter ones are placeholders such as "none", and would take words out of sentences.
const shortestSecret = 6

function hide(text: string, secrets: readonly (string | undefined)[]): string {
  let shown = text
  for (const secret of secrets) {
    if (secret === undefined || secret.length < shortestSecret) continue
    for (const form of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]))
      shown = shown.replaceAll(form, '[hidden]')
  }
  return shown
}

function wrong(message: string): CadreError {
  return new CadreError('configuration', message)
}
