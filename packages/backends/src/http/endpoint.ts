import { validateHeaderName, validateHeaderValue } from 'node:http'
import { CadreError } from '@cadre/core'
import type { BackendContext } from '../backend.ts'
import type { ServerConfig } from '../models-config.ts'
import { type KeySource, keyFromCommand, keyFromText } from './key.ts'
import { openAiKind, type ServerKind } from './server-kind.ts'

/** An address in the form of `node:http`. */
export interface RequestTarget {
  readonly host: string
  readonly port: number
  readonly path: string
}

/** A model server, with its connection settings. */
export interface Endpoint {
  readonly kind: ServerKind
  /** True for the server of the API's vendor, whose model names are authoritative. */
  readonly isOfficial: boolean
  readonly isSecure: boolean
  /** For messages: the address without secrets. */
  readonly shown: string
  readonly key: KeySource
  /** False if the server is configured as unable to list its models. */
  readonly lists: boolean
  target(model: string, path: string): RequestTarget
  headers(key: string | undefined): Record<string, string>
  /** Returns the text without secrets; `key` is the one that was sent. */
  hide(text: string, key: string | undefined): string
}

/** Undefined if nothing is configured. The environment takes precedence, for the address and for the key. */
export function readEndpoint(
  { config, env }: Pick<BackendContext, 'config' | 'env'>,
  kind: ServerKind = openAiKind,
): Endpoint | undefined {
  const settings: ServerConfig = config[kind.section] ?? {}
  const text = env[kind.keyVariable]?.trim() || undefined
  const hasKey = text !== undefined || settings.keyCommand !== undefined
  const base = env[kind.urlVariable]?.trim() || settings.baseUrl || (hasKey ? kind.standardUrl : undefined)
  if (base === undefined) return undefined
  const url = checkedUrl(base, hasKey, settings, kind)
  const key =
    text === undefined && settings.keyCommand !== undefined
      ? keyFromCommand(settings.keyCommand, { ...env }, kind)
      : keyFromText(text, kind)
  const extra = checkedHeaders(settings.headers ?? {}, kind)
  const keyHeader = (settings.keyHeader ?? kind.keyHeader).toLowerCase()
  checkedHeaders({ [keyHeader]: '' }, kind)
  return {
    kind,
    isOfficial: url.host === new URL(kind.standardUrl).host,
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
      ...kind.headers,
      ...extra,
      ...(secret !== undefined && {
        [keyHeader]: keyHeader === 'authorization' ? `Bearer ${secret}` : secret,
      }),
    }),
    hide: hiderOf([...secretsIn(extra), ...secretsIn(settings.query ?? {})]),
  }
}

function checkedUrl(base: string, hasKey: boolean, settings: ServerConfig, kind: ServerKind): URL {
  const { section, urlVariable, keyVariable } = kind
  let url: URL
  try {
    url = new URL(base.replaceAll('{model}', 'model'))
  } catch {
    throw wrong(
      `the model server's address is not a valid URL. Check ${urlVariable}, or ${section}.baseUrl in config.yaml.`,
    )
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw wrong(`the model server's address must start with https:// or http://, not ${url.protocol}`)
  if (url.username !== '' || url.password !== '')
    throw wrong(
      `the model server's address must not contain a user name or password. Put the key in ${keyVariable}.`,
    )
  if (hasKey && url.protocol === 'http:' && !isLoopbackHost(url.hostname) && settings.allowInsecure !== true)
    throw wrong(
      `the key would be sent to ${url.origin} unencrypted. Use https://, or set ${section}.allowInsecure: true in config.yaml if the network is private.`,
    )
  return url
}

/** True if a host name, as in a URL, can only be this machine. */
export function isLoopbackHost(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || /^127(\.\d+){3}$/.test(host) || host === '[::1]'
  )
}

function targetOf(base: string, wanted: string, settings: ServerConfig): RequestTarget {
  const url = new URL(base)
  const [path = '', query = ''] = wanted.split('?')
  const root = url.pathname.replace(/\/+$/, '')
  // Some addresses include the version, although the paths of the API have it too.
  url.pathname = root + (root.endsWith('/v1') && path.startsWith('/v1/') ? path.slice(3) : path)
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value)
  for (const [name, value] of Object.entries(settings.query ?? {})) url.searchParams.set(name, value)
  if (settings.apiVersion !== undefined) url.searchParams.set('api-version', settings.apiVersion)
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  // Without the brackets of an IPv6 address, which are part of the URL and not of the host.
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, path: url.pathname + url.search }
}

function checkedHeaders(
  headers: { readonly [name: string]: string },
  { section }: ServerKind,
): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      throw wrong(
        `Header ${JSON.stringify(name)} contains characters that HTTP does not allow. Correct ${section}.headers or ${section}.keyHeader in config.yaml.`,
      )
    }
  }
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Returns whole values, and the word after a scheme: the token of `Bearer TOKEN`. */
function secretsIn(values: { readonly [name: string]: string }): string[] {
  return Object.values(values).flatMap((value) => [
    value,
    ...value.split(/[\s=,;]+/).filter((part) => part.length >= 12),
  ])
}

// Shorter values are placeholders such as "none", and would remove words from messages.
const minSecretLength = 6

/** Hides the key and `others`. Keeps the forms of the last key, because every piece of a reply is searched for them. */
function hiderOf(others: readonly string[]): Endpoint['hide'] {
  let known: string | undefined
  let forms = formsOf(others)
  return (text, key) => {
    if (key !== known) {
      known = key
      forms = formsOf(key === undefined ? others : [key, ...others])
    }
    let shown = text
    for (const form of forms) shown = shown.replaceAll(form, '[hidden]')
    return shown
  }
}

/** How the secrets may appear: as they are, in an address, or in JSON. */
function formsOf(secrets: readonly string[]): readonly string[] {
  return secrets
    .filter((secret) => secret.length >= minSecretLength)
    .flatMap((secret) => [
      ...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]),
    ])
}

function wrong(message: string): CadreError {
  return new CadreError('configuration', message)
}
