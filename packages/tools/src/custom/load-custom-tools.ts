import { readFile, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineTool, messageOf, type Tool } from '@cadre/core'
import { mayLackCadre, registerCadreResolver } from './register-cadre-resolver.ts'

export interface CustomToolsRequest {
  /** As named in the configuration. */
  readonly modules: readonly string[]
  /** The base folder of relative names. */
  readonly base: string
  /** Returns whether a person trusts the current content of this file. Called before any of it runs. */
  readonly trusted: (module: string) => boolean | Promise<boolean>
}

export interface CustomToolsFault {
  readonly path: string
  readonly code: 'untrusted' | 'missing' | 'broken' | 'malformed'
  readonly message: string
}

export interface CustomTools {
  readonly tools: readonly Tool[]
  readonly faults: readonly CustomToolsFault[]
}

/** Loads custom tools. An untrusted module is not loaded; a failing one does not affect the others. */
export async function loadCustomTools({ modules, base, trusted }: CustomToolsRequest): Promise<CustomTools> {
  const loaded = await Promise.all(modules.map((name) => loadModule(path.resolve(base, name), trusted)))
  return { tools: loaded.flatMap((entry) => entry.tools), faults: loaded.flatMap((entry) => entry.faults) }
}

async function loadModule(named: string, trusted: CustomToolsRequest['trusted']): Promise<CustomTools> {
  const fault = (code: CustomToolsFault['code'], message: string): CustomTools => ({
    tools: [],
    faults: [{ path: named, code, message: `${named}: ${message}` }],
  })
  let file: string
  let version: string
  try {
    file = await realpath(named)
    const stats = await stat(file)
    if (!stats.isFile()) return fault('missing', 'this tool module is not a file.')
    version = `${stats.mtimeMs}-${stats.size}`
  } catch {
    return fault(
      'missing',
      'this tool module does not exist. Correct its name under tools in the configuration.',
    )
  }
  if (!(await trusted(file))) {
    return fault(
      'untrusted',
      'this tool module is not trusted, so Cadre did not load it. Inspect it, then trust it for one command with --trust or CADRE_TRUST=1.',
    )
  }
  let exported: Record<string, unknown>
  try {
    // On Node 20, offering it starts a thread.
    if (mayLackCadre(await readFile(file, 'utf8'), file)) registerCadreResolver()
    // A changed file is loaded as a new module; otherwise the first version would be used until the process exits.
    exported = (await import(`${pathToFileURL(file).href}?v=${version}`)) as Record<string, unknown>
  } catch (error) {
    return fault('broken', `cannot load this tool module: ${messageOf(error)}`)
  }
  const candidates = Object.entries(exported).flatMap(([name, value]) => candidatesOf(name, value))
  if (candidates.length === 0)
    return fault(
      'malformed',
      'this tool module exports no tool. Export the result of defineTool, alone or in a list.',
    )
  const results = candidates.map(([name, value]) => readTool(name, value))
  return {
    tools: results.flatMap((result) => ('tool' in result ? [result.tool] : [])),
    faults: results.flatMap((result) => ('fault' in result ? fault('malformed', result.fault).faults : [])),
  }
}

/** An export is a tool, a list of tools or a record of them; other exports are ignored. */
function candidatesOf(name: string, value: unknown): [string, unknown][] {
  if (Array.isArray(value)) return value.map((item, index) => [`${name}[${index}]`, item])
  if (typeof value !== 'object' || value === null) return []
  if (looksLikeTool(value)) return [[name, value]]
  return Object.entries(value).flatMap(([key, item]) =>
    looksLikeTool(item) ? [[`${name}.${key}`, item] as [string, unknown]] : [],
  )
}

function looksLikeTool(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && ('run' in value || ('name' in value && 'input' in value))
  )
}

const classes = ['read', 'search', 'edit', 'execute', 'web', 'agent', 'todo', 'task', 'message', 'other']
const effects = ['read', 'write', 'execute', 'outbound']

function readTool(name: string, value: unknown): { readonly tool: Tool } | { readonly fault: string } {
  if (!looksLikeTool(value)) return { fault: `${name} is not a tool. Create it with defineTool.` }
  const missing = (['name', 'description'] as const).find(
    (key) => typeof value[key] !== 'string' || value[key] === '',
  )
  if (missing !== undefined) return { fault: `${name} has no ${missing}.` }
  if (typeof value['run'] !== 'function') return { fault: `${name} has no run function.` }
  if (!classes.includes(String(value['class'])))
    return { fault: `${name} must have one of these classes: ${classes.join(', ')}.` }
  if (!effects.includes(String(value['effect'])))
    return { fault: `${name} must have one of these effects: ${effects.join(', ')}.` }
  const input = value['input'] as { '~standard'?: { validate?: unknown } } | undefined
  if (typeof input?.['~standard']?.validate !== 'function')
    return { fault: `${name} has no input schema. Use object() or any Standard Schema.` }
  try {
    // A module cannot present its tools as editor tools.
    return { tool: { ...defineTool(value as unknown as Tool), origin: 'custom' } }
  } catch (error) {
    return { fault: `${name} is not valid: ${messageOf(error)}` }
  }
}
