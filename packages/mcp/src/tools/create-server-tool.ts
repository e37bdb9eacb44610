import {
  checkSchema,
  defineTool,
  type Json,
  messageOf,
  type StandardSchema,
  type Tool,
  type ToolContext,
} from '@cadre/core'
import { isObject } from '@cadre/disk'
import type { ServerConfig } from '../config/server-config.ts'
import type { Connection } from '../connect/connect-server.ts'
import { isLoopback } from '../connect/guarded-fetch.ts'
import type { ToolDefinition } from '../pins/pin-of.ts'
import type { ServerLink } from '../server-link.ts'
import { effectOf } from './effect-of.ts'
import { plainText } from './plain-text.ts'
import { resultOf } from './result-of.ts'
import { toolName } from './tool-name.ts'

export interface ServerToolOptions {
  readonly link: Pick<ServerLink, 'server' | 'for'>
  /** The names that other tools have, in lowercase. The new name is added. */
  readonly taken: Set<string>
  readonly totalLimit?: number | undefined
  readonly traceparentOf?: ((context: ToolContext) => string | undefined) | undefined
}

const idleLimit = 60_000
const longestCall = 30 * 60_000
/** The most characters of a definition. It is part of every request to the model. */
const longestDefinition = 40_000
const longestDescription = 2_000

/** A tool of a server for agents, or a sentence about why they cannot use it. */
export function createServerTool(definition: ToolDefinition, options: ServerToolOptions): Tool | string {
  const { link, taken, traceparentOf, totalLimit = longestCall } = options
  const { server } = link
  const unusable = (reason: string) =>
    `Agents cannot use the tool ${plainText(definition.name, 60)} of the MCP server ${server.name}: ${reason}`
  if (JSON.stringify(definition.inputSchema).length > longestDefinition)
    return unusable(`its definition has more than ${longestDefinition} characters.`)
  const name = toolName(server.name, definition.name, taken)
  const parameters = plainSchema(definition.inputSchema) as Tool['parameters']
  // Without them, names and values would not be those that the server expects.
  if (hasHidden(parameters)) return unusable('names or values in its definition have hidden characters.')
  const effect = effectOf(server, definition)
  try {
    const tool = defineTool<object>({
      name,
      description: describe(definition, server.name),
      class: 'other',
      effect,
      origin: 'server',
      server: {
        name: server.name,
        tool: definition.name,
        ...(server.agent !== undefined && { agent: server.agent }),
        ...(isRemote(server) && { remote: true }),
      },
      parameters,
      input: inputOf(parameters),
      async run(input, context, signal) {
        let connection: Connection | string
        try {
          connection = await orAborted(link.for(definition.name), signal)
        } catch (error) {
          if (signal.aborted) throw error
          return { content: `The MCP server ${server.name} cannot be used: ${shown(error)}`, failed: true }
        }
        if (typeof connection === 'string') return { content: connection, failed: true }
        const limits = {
          signal,
          idleLimit: server.timeout ?? idleLimit,
          totalLimit,
          progress: context.progress,
          traceparent: traceparentOf?.(context),
        }
        try {
          return resultOf(await connection.call(definition.name, input, limits))
        } catch (error) {
          if (signal.aborted) throw error
          const doubt =
            effect === 'read' || isRejection(error)
              ? ''
              : ' It may have taken effect: check before you repeat it.'
          return { content: `The call failed: ${shown(error)}.${doubt}`, failed: true }
        }
      },
    }) as Tool
    taken.add(name.toLowerCase())
    return tool
  } catch (error) {
    return unusable(messageOf(error))
  }
}

/** What a model reads about a tool. */
export function describe({ name, title, description }: ToolDefinition, server: string): string {
  return plainText(description ?? title ?? '', longestDescription) || `${plainText(name, 100)} of ${server}`
}

/** The schema with hidden characters removed from its texts. */
export function plainSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(plainSchema)
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      typeof value === 'string' && /^(?:description|title|\$comment)$/.test(key)
        ? plainText(value, longestDescription)
        : plainSchema(value as Json),
    ]),
  )
}

function hasHidden(value: unknown): boolean {
  if (typeof value === 'string') return plainText(value, Number.POSITIVE_INFINITY) !== value
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, item]) => hasHidden(key) || hasHidden(item))
}

/** A server on another machine has no access to the files of this one. */
function isRemote({ reach }: ServerConfig): boolean {
  return reach.kind === 'address' && URL.canParse(reach.url) && !isLoopback(new URL(reach.url))
}

/** Invalid request, unknown method, invalid arguments. After any other error, the server may have carried out a part of the call. */
const rejections: readonly unknown[] = [-32600, -32601, -32602]

function isRejection(error: unknown): boolean {
  return rejections.includes((error as { readonly code?: unknown } | undefined)?.code)
}

/** Rejects as soon as the call is cancelled. The server may go on starting: other calls share it. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
  })
  work.catch(() => {})
  return Promise.race([aborted, work]).finally(() => signal.removeEventListener('abort', stop))
}

/** The text may come from the server. */
function shown(error: unknown): string {
  return plainText(messageOf(error), 2_000)
}

function inputOf(schema: Tool['parameters']): StandardSchema<object> {
  return {
    '~standard': {
      version: 1,
      vendor: 'mcp',
      validate(value) {
        const issues = checkSchema(schema, value)
        return issues.length > 0 ? { issues } : { value: (value ?? {}) as object }
      },
    },
  }
}
