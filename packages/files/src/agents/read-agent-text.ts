import { type Dialect, dialectOf } from './dialects.ts'
import type { ReadAgent } from './read-definition.ts'
import { type AgentText, readMarkdown } from './read-markdown.ts'
import { readTemplate } from './read-template.ts'
import { readSettingsAgents } from './settings/read-settings.ts'

/**
 * Reads one file, wherever it lies; the dialect is that of its path, else of its content. Never throws. Of settings,
 * which can define several agents, the first.
 */
export function readAgentText(file: AgentText): ReadAgent & { readonly dialect: string } {
  const dialect = dialectOf(file.path, file.text)
  return { ...readIn(dialect, file), dialect: dialect.name }
}

export function readIn(dialect: Dialect, file: AgentText): ReadAgent {
  switch (dialect.format) {
    case 'markdown':
      return readMarkdown(file, dialect)
    case 'yaml':
      return readTemplate(file, dialect)
    case 'settings': {
      const { agents, diagnostics } = readSettingsAgents(file)
      const [first] = agents
      return first === undefined ? { diagnostics } : { agent: first.agent, diagnostics }
    }
  }
}
