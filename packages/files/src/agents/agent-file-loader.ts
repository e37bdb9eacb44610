import { readYaml } from '../located.ts'
import { type ReadAgent, readDefinition } from './read-definition.ts'
import { splitHeader } from './split-header.ts'

/** How one dialect writes agents. A new dialect is one more entry in the table below. */
export interface AgentFileLoader {
  readonly dialect: string
  /** Whether this path, with `/`, is a file of this dialect. */
  match(path: string): boolean
  parse(text: string, path: string): ReadAgent
}

const markdown = (dialect: string, pattern: RegExp): AgentFileLoader => ({
  dialect,
  match: (path) => pattern.test(path),
  parse: (text, path) => parseMarkdown(text, path, dialect),
})

export const agentFileLoaders: readonly AgentFileLoader[] = [
  markdown('copilot', /\/\.github\/agents\/(?:.+\/)?[^/]+\.agent\.md$/i),
  markdown('copilot', /\/\.copilot\/agents\/(?:.+\/)?[^/]+\.agent\.md$/i),
  markdown('claude', /\/\.claude\/agents\/(?:.+\/)?[^/]+\.md$/i),
  {
    dialect: 'template',
    match: (path) => /\/templates\/[^/]+\.agent\.ya?ml$/i.test(path),
    parse: parseTemplate,
  },
]

export function loaderFor(path: string): AgentFileLoader | undefined {
  return agentFileLoaders.find((loader) => loader.match(path))
}

function parseMarkdown(text: string, path: string, dialect: string): ReadAgent {
  const file = splitHeader(text)
  if (file.kind === 'no-header') {
    return failed(
      path,
      1,
      'header-missing',
      'There is no header, so this is not an agent.',
      'Begin the file with --- on a line of its own, then name: and description:, then --- again.',
    )
  }
  if (file.kind === 'unclosed')
    return failed(
      path,
      1,
      'header-unclosed',
      'The header is not closed.',
      'Put --- on a line of its own behind its last key.',
    )
  const read = readYaml({ text: file.header, path, firstLine: file.headerLine })
  if (read.kind === 'broken') return { diagnostics: read.diagnostics }
  const { fields, value, line } = read.root
  if (fields === undefined && value !== null)
    return failed(path, line, 'header-shape', 'The header must be written as keys and values.')
  return readDefinition({
    path,
    dialect,
    line: file.headerLine,
    fields: fields ?? new Map(),
    prompt: file.body,
  })
}

function parseTemplate(text: string, path: string): ReadAgent {
  const read = readYaml({ text: text.replace(/^\ufeff/, ''), path })
  if (read.kind === 'broken') return { diagnostics: read.diagnostics }
  const { fields, line } = read.root
  if (fields === undefined)
    return failed(
      path,
      line,
      'header-shape',
      'An agent must be written as keys and values.',
      'Begin with id: and system_prompt:.',
    )
  const synonyms = {
    id: 'name',
    agentid: 'name',
    agenttype: 'type',
    systemprompt: 'prompt',
    capabilities: 'tools',
  }
  return readDefinition({ path, dialect: 'template', line, fields, synonyms })
}

function failed(path: string, line: number, code: string, message: string, fix?: string): ReadAgent {
  return {
    diagnostics: [{ path, line, severity: 'error', code, message, ...(fix !== undefined && { fix }) }],
  }
}
