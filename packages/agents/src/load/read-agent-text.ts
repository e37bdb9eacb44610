import { readSettingsAgents } from '../settings/read-settings.ts'
import { type Dialect, dialectOf } from './dialects.ts'
import type { ParsedAgent } from './read-definition.ts'
import { type AgentText, readMarkdown } from './read-markdown.ts'
import { readTemplate } from './read-template.ts'

/**
 * Reads one file in any folder; the dialect follows from its path, or from its content. Never throws. For settings with
 * several agents, returns the first.
 */
export function readAgentText(file: AgentText): ParsedAgent & { readonly dialect: string } {
  const dialect = dialectOf(file.path, file.text)
  return { ...readInDialect(dialect, file), dialect: dialect.name }
}

export function readInDialect(dialect: Dialect, file: AgentText): ParsedAgent {
  if (dialect.format !== 'settings' && isUtf16(file.text)) return notText(file.path)
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

/** True for UTF-16, with zeros between the letters: its restrictions would be missed. A single zero is an ordinary character. */
function isUtf16(text: string): boolean {
  const head = text.slice(0, 2_000)
  return head.slice(0, 4).includes('\0') || head.split('\0').length > head.length / 4 + 1
}

function notText(path: string): ParsedAgent {
  const message = 'The file is not text, or is UTF-16 without a byte order mark.'
  return {
    diagnostics: [{ path, line: 1, severity: 'error', code: 'not-text', message, fix: 'Save it as UTF-8.' }],
  }
}
