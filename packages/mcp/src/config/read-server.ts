import { type Effect, isObject, type Json, type JsonObject } from '@cadre/core'
import type { ServerAddress, ServerConfig, ServerProgram } from './server-config.ts'

export type ParsedServer =
  | { readonly kind: 'server'; readonly server: ServerConfig }
  | { readonly kind: 'off' }
  /** The error, as the end of a sentence: `the server NAME …`. */
  | { readonly kind: 'invalid'; readonly problem: string }

const effects = ['read', 'write', 'execute', 'outbound']

/** Reads one server's entry. All hosts use the same keys, with small differences. */
export function readServer(
  base: Pick<ServerConfig, 'name' | 'scope' | 'file' | 'agent' | 'syntax' | 'inputs'>,
  value: Json,
): ParsedServer {
  if (!isObject(value)) return invalid('must be an object with "command" or "url"')
  const entry = value as JsonObject
  if (entry['disabled'] === true || entry['enabled'] === false) return { kind: 'off' }
  const reach = readReach(entry)
  if (typeof reach === 'string') return invalid(reach)
  const { tools = ['*'], timeout } = entry
  if (!isTexts(tools)) return invalid('has a "tools" value that is not a list of names')
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0))
    return invalid('has a "timeout" value that is not a number of milliseconds')
  const stated = readEffects(entry['effects'])
  if (typeof stated === 'string') return invalid(stated)
  const { sandbox } = entry
  if (base.syntax === 'cadre' && sandbox !== undefined && typeof sandbox !== 'boolean')
    return invalid('has a "sandbox" value that is not true or false')
  const isPersonal = base.syntax === 'cadre' && base.scope === 'user'
  return {
    kind: 'server',
    server: {
      ...base,
      reach,
      tools,
      ...(timeout !== undefined && { timeout }),
      effects: isPersonal ? stated : {},
      ...(isPersonal && typeof sandbox === 'boolean' && { sandbox }),
    },
  }
}

function readReach(entry: JsonObject): ServerProgram | ServerAddress | string {
  const { type, command, url } = entry
  if (type !== undefined && typeof type !== 'string') return 'has a "type" value that is not a string'
  if (type === 'sse') return 'uses the "sse" transport, which MCP has replaced. Use "http"'
  if (command !== undefined) return readProgram(entry)
  if (url !== undefined) return readAddress(entry)
  return 'must have "command" or "url"'
}

function readProgram({ command, args = [], env = {}, envFile, cwd }: JsonObject): ServerProgram | string {
  if (typeof command !== 'string' || command === '') return 'has a "command" value that is not a string'
  if (!isTexts(args)) return 'has an "args" value that is not a list of strings'
  const variables = textsByName(env)
  if (variables === undefined) return 'has an "env" entry whose value is not a string'
  if (envFile !== undefined && typeof envFile !== 'string')
    return 'has an "envFile" value that is not a string'
  if (cwd !== undefined && typeof cwd !== 'string') return 'has a "cwd" value that is not a string'
  return {
    kind: 'program',
    command,
    args,
    env: variables,
    ...(envFile !== undefined && { envFile }),
    ...(cwd !== undefined && { cwd }),
  }
}

function readAddress({
  url,
  headers = {},
  oauth,
  oauthClientId,
  oauthScopes,
}: JsonObject): ServerAddress | string {
  if (typeof url !== 'string') return 'has a "url" value that is not a string'
  // A reference may stand for the scheme as well; the address is checked again when it is used.
  if (!/^(https?:|\$)/i.test(url)) return 'has a "url" value that is not an http or https address'
  const fields = textsByName(headers)
  if (fields === undefined) return 'has a "headers" entry whose value is not a string'
  const own = (isObject(oauth) ? oauth : {}) as JsonObject
  const { clientId = oauthClientId, clientSecret } = own
  const given = own['scopes'] ?? oauthScopes
  const scopes = typeof given === 'string' ? given.split(/\s+/).filter(Boolean) : given
  const settings = {
    ...(typeof clientId === 'string' && { clientId }),
    ...(typeof clientSecret === 'string' && { clientSecret }),
    ...(isTexts(scopes) && { scopes }),
  }
  return {
    kind: 'address',
    url,
    headers: fields,
    ...(Object.keys(settings).length > 0 && { oauth: settings }),
  }
}

function readEffects(value: Json | undefined): { readonly [tool: string]: Effect } | string {
  if (value === undefined) return {}
  const all = typeof value === 'string' ? { '*': value } : value
  const problem = `has an "effects" value that is not one of ${effects.join(', ')}, for each tool or for "*"`
  const stated = textsByName(all)
  if (stated === undefined || !Object.values(stated).every((effect) => effects.includes(effect)))
    return problem
  return stated as { readonly [tool: string]: Effect }
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** Numbers and booleans become text, as in an environment. */
function textsByName(value: Json): { readonly [name: string]: string } | undefined {
  if (!isObject(value)) return undefined
  const entries = Object.entries(value as JsonObject)
  if (!entries.every(([, item]) => ['string', 'number', 'boolean'].includes(typeof item))) return undefined
  return Object.fromEntries(entries.map(([name, item]) => [name, String(item)]))
}

function invalid(problem: string): ParsedServer {
  return { kind: 'invalid', problem }
}
