import { classOf, interpretToolName, knownTools, namesFor } from '@cadre/core'
import { describeTool } from './describe-tool.ts'
import type { HeaderDialect } from './header-keys.ts'

export interface NamedTool {
  readonly name: string
  readonly about: string
}

/** The tools that a file of a dialect can name, in that dialect's spelling. */
export function dialectTools(dialect: HeaderDialect): readonly NamedTool[] {
  const own = knownTools().filter((name) => {
    const meaning = interpretToolName(name)
    return (
      (meaning.kind === 'class' && meaning.class === name) ||
      (meaning.kind === 'tools' && meaning.names[0] === name)
    )
  })
  const host = dialect === 'claude' || dialect === 'opencode' ? dialect : undefined
  const names = host === undefined ? own : own.flatMap((name) => namesFor(host, name) ?? [])
  return [...new Set(names)].map((name) => ({ name, about: aboutTool(name) }))
}

export function aboutTool(name: string): string {
  return describeTool(name, interpretToolName(name), classOf)
}
