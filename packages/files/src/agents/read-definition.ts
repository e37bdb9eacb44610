import type { AgentDefinition, Json } from '@cadre/core'
import type { Diagnostic } from '../diagnostic.ts'
import type { Located } from '../located.ts'
import { faultInName, nameOfFile } from './agent-name.ts'
import { HeaderReader } from './header-reader.ts'
import { readHandoffs } from './read-handoffs.ts'
import { readLimits } from './read-limits.ts'
import { readTools } from './read-tools.ts'
import { splitNames } from './split-names.ts'

export interface DefinitionRequest {
  readonly path: string
  readonly dialect: string
  /** The line of the file its keys begin on. */
  readonly line: number
  readonly fields: ReadonlyMap<string, Located>
  /** The text below the header, where the dialect has it there. */
  readonly prompt?: string
  /** Other names the dialect has for keys, written without case, `-` and `_`. */
  readonly synonyms?: { readonly [spelling: string]: string }
}

export interface ReadAgent {
  /** Absent when there is an error among the diagnostics. */
  readonly agent?: AgentDefinition
  readonly diagnostics: readonly Diagnostic[]
  /** The file is not written as it should be, and was understood all the same; each way is among the diagnostics. */
  readonly rescued?: boolean
  /** Of a rescued file: its whole text as it should have been written. Gives the same agent, without a rescue. */
  readonly repaired?: string
}

const usual = { userinvokable: 'userinvocable', timeoutseconds: 'timeout', models: 'model' } as const

/** Makes an agent out of the keys of its file, whatever dialect they came from. */
export function readDefinition(request: DefinitionRequest): ReadAgent {
  const { path, dialect, line, fields } = request
  const header = new HeaderReader(path, fields, { ...usual, ...request.synonyms })
  const name = readName(header, line)
  const description = header.text('description') ?? ''
  if (description === '')
    header.report(
      'warning',
      'description-missing',
      line,
      'There is no description, so no other agent can tell when to choose this one.',
      'Add description: and one sentence.',
    )
  const prompt = request.prompt ?? header.text('prompt') ?? ''
  if (prompt === '')
    header.report(
      'warning',
      'prompt-missing',
      line,
      'There are no instructions for the agent.',
      'Write them below the header.',
    )
  const { tools, disallowed, delegates } = readTools(header)
  const optional = {
    useFor: header.text('usefor'),
    type: header.text('type'),
    disallowedTools: disallowed,
    delegates,
    models: readModels(header),
    limits: readLimits(header),
    requiredSections: readSections(header),
    handoffs: readHandoffs(header),
    isolation: readIsolation(header),
    userInvocable: header.flag('userinvocable'),
    modelInvocable: inverse(header.flag('disablemodelinvocation')),
    unknown: restOf(header),
  }
  const { diagnostics } = header
  if (header.failed || name === undefined) return { diagnostics }
  const agent: AgentDefinition = {
    name,
    description,
    prompt,
    tools,
    ...present(optional),
    source: { path, dialect, line },
  }
  return { agent, diagnostics }
}

function readName(header: HeaderReader, line: number): string | undefined {
  const field = header.take('name')
  const written = field === undefined || field.value === null ? undefined : String(field.value).trim()
  const fallback = nameOfFile(header.path)
  if (written !== undefined) {
    const fault = typeof field?.value === 'object' ? 'must be text' : faultInName(written)
    if (fault === undefined) return written
    header.report(
      'warning',
      'name-unusable',
      field?.line ?? line,
      `The name ${JSON.stringify(written)} ${fault}, so the agent is called ${fallback}, after its file.`,
    )
  }
  const fault = faultInName(fallback)
  if (fault === undefined) return fallback
  header.report(
    'error',
    'name-unusable',
    line,
    `The name of the file ${fault}, and an agent needs a name.`,
    'Rename the file, or add name: to its header.',
  )
  return undefined
}

/** In order of preference. `inherit` says what holds without it: the model of whoever starts the agent. */
function readModels(header: HeaderReader): readonly string[] | undefined {
  const field = header.take('model')
  if (field === undefined || field.value === null) return undefined
  const values = field.items === undefined ? [field.value] : field.items.map((item) => item.value)
  if (!values.every((value) => typeof value === 'string')) {
    header.wrong('model', field, 'must be a name or a list of names')
    return undefined
  }
  const models = values.map((value) => value.trim()).filter((value) => value !== '' && value !== 'inherit')
  return models.length === 0 ? undefined : models
}

function readSections(header: HeaderReader): readonly string[] | undefined {
  const field = header.take('requiredsections')
  if (field === undefined) return undefined
  // In a list a heading may contain a comma.
  const sections = field.items === undefined ? splitNames(field) : field.items.map((item) => item.value)
  if (sections?.every((section) => typeof section === 'string')) return sections
  header.wrong('requiredsections', field, 'must be a list of headings')
  return undefined
}

function readIsolation(header: HeaderReader): 'shared' | 'workspace' | undefined {
  const field = header.take('isolation')
  if (field === undefined) return undefined
  if (field.value === 'shared' || field.value === 'workspace') return field.value
  if (field.value === 'worktree') return 'workspace'
  header.wrong('isolation', field, 'must be shared or workspace')
  return undefined
}

function restOf(header: HeaderReader): { readonly [key: string]: Json } | undefined {
  const rest = header.rest()
  return rest.length === 0 ? undefined : Object.fromEntries(rest.map(([key, field]) => [key, field.value]))
}

function inverse(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function present<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>
}
