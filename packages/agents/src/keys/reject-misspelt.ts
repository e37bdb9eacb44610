import { misspeltTool } from '@cadre/core'
import type { HeaderReader } from './header-reader.ts'

/**
 * Denying a misspelt tool would deny nothing, so the agent cannot be used. A name that resembles no known tool is kept: it
 * may be a tool of another host, a server or a module.
 */
export function rejectMisspelt(header: HeaderReader, name: string, line: number): void {
  for (const word of new Set([name, ...name.split(/\s+/)])) {
    const meant = misspeltTool(word)
    if (meant === undefined) continue
    const message = `${JSON.stringify(word)} is denied, but there is no such tool. Did you mean ${meant}? Cadre does not use this agent until you fix it.`
    // A name that is denied in several places is reported once.
    if (header.diagnostics.some((said) => said.message === message)) continue
    header.report('error', 'denial-unknown', line, message, `Write ${meant}.`)
  }
}
