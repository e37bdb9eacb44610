import {
  checkSchema,
  defineTool,
  isObject,
  type Json,
  messageOf,
  type Notice,
  plainText,
  type StandardSchema,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '@cadre/core'
import type { ServerToolDefinition } from '../approved-tools/fingerprint-tool.ts'
import type { ServerConfig } from '../config/server-config.ts'
import type { Connection } from '../connect/connect-server.ts'
import { mayBeLoopback } from '../connect/guarded-fetch.ts'
import type { ServerLink } from '../server-link.ts'
import { effectOf } from './effect-of.ts'
import { resultOf } from './result-of.ts'
import { toolName } from './tool-name.ts'

export interface ServerToolOptions {
  readonly link: Pick<ServerLink, 'server' | 'connectionFor'>
  /** The other tools' names, in lowercase. The new name is added. */
  readonly taken: Set<string>
  readonly totalLimit?: number | undefined
  readonly traceparentOf?: ((context: ToolContext) => string | undefined) | undefined
}

const idleLimit = 60_000
const maxCallMs = 30 * 60_000
/** The maximum length of a definition, which is part of every request to the model. */
const maxDefinitionLength = 40_000
const maxDescriptionLength = 2_000

/** A server's tool for agents, or a sentence that explains why they cannot use it. */
export function createServerTool(
  definition: ServerToolDefinition,
  options: ServerToolOptions,
): Tool | string {
  const { link, taken, traceparentOf, totalLimit = maxCallMs } = options
  const { server } = link
  const unusable = (reason: string) =>
    `Agents cannot use the tool ${plainText(definition.name, 60)} from the MCP server ${server.name}: ${reason}`
  if (JSON.stringify(definition.inputSchema).length > maxDefinitionLength)
    return unusable(`the tool's definition has more than ${maxDefinitionLength} characters.`)
  const name = toolName(server.name, definition.name, taken)
  const parameters = plainSchema(definition.inputSchema) as Tool['parameters']
  // After removing these characters, names and values would differ from those that the server expects.
  if (hasHidden(parameters))
    return unusable("names or values in the tool's definition contain hidden characters.")
  const effect = effectOf(server, definition)
  try {
    const tool = defineTool<object>({
      name,
      description: describeTool(definition, server.name),
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
          connection = await orAborted(link.connectionFor(definition.name), signal)
        } catch (error) {
          if (signal.aborted) throw error
          return { content: `The MCP server ${server.name} cannot be used: ${shown(error)}`, failed: true }
        }
        if (typeof connection === 'string') return { content: connection, failed: true }
        const notices: Notice[] = []
        const withNotices = (result: ToolResult): ToolResult =>
          notices.length === 0 ? result : { ...result, notices }
        const { session, agent, call } = context
        const limits = {
          signal,
          idleLimit: server.timeout ?? idleLimit,
          totalLimit,
          progress: context.progress,
          traceparent: traceparentOf?.(context),
          caller: { session, agent, call },
          notice: (message: string) => void notices.push({ code: 'mcp', message }),
        }
        try {
          return withNotices(resultOf(await connection.call(definition.name, input, limits)))
        } catch (error) {
          if (signal.aborted) throw error
          const doubt =
            effect === 'read' || isRejection(error)
              ? ''
              : ' It may have taken effect: check before you repeat it.'
          return withNotices({ content: `The call failed: ${shown(error)}.${doubt}`, failed: true })
        }
      },
    }) as Tool
    taken.add(name.toLowerCase())
    return tool
  } catch (error) {
    return unusable(messageOf(error))
  }
}

/** The tool's description for the model. */
export function describeTool({ name, title, description }: ServerToolDefinition, server: string): string {
  return (
    plainText(description ?? title ?? '', maxDescriptionLength) || `${plainText(name, 100)} from ${server}`
  )
}

/** The schema with hidden characters removed from its texts. */
export function plainSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(plainSchema)
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      typeof value === 'string' && /^(?:description|title|\$comment)$/.test(key)
        ? plainText(value, maxDescriptionLength)
        : plainSchema(value as Json),
    ]),
  )
}

function hasHidden(value: unknown): boolean {
  if (typeof value === 'string') return plainText(value, Number.POSITIVE_INFINITY) !== value
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, item]) => hasHidden(key) || hasHidden(item))
}

/** A server on another machine cannot access this machine's files. */
function isRemote({ reach }: ServerConfig): boolean {
  return reach.kind === 'address' && URL.canParse(reach.url) && !mayBeLoopback(new URL(reach.url))
}

/** Invalid request, unknown method, invalid arguments. After any other error, the server may have carried out a part of the call. */
const rejections: readonly unknown[] = [-32600, -32601, -32602]

function isRejection(error: unknown): boolean {
  return rejections.includes((error as { readonly code?: unknown } | undefined)?.code)
}

/** Rejects as soon as the call is cancelled. The server may continue to start, because other calls share it. */
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
