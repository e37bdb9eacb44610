import { misspeltTool } from '@cadre/core'
import type { HeaderReader } from './header-reader.ts'

/**
 * A denial of a tool that seems to be misspelt would forbid nothing, so its agent cannot be used. A name that is like no known
 * one stays: it may be a tool of another host, of a server or of one's own.
 */
export function refuseMisspelt(header: HeaderReader, name: string, line: number): void {
  for (const word of new Set([name, ...name.split(/\s+/)])) {
    const meant = misspeltTool(word)
    if (meant === undefined) continue
    const message = `${JSON.stringify(word)} is denied, but there is no such tool. Did you mean ${meant}? Cadre does not use this agent until it is fixed.`
    // A name that is denied in several places is one mistake.
    if (header.diagnostics.some((said) => said.message === message)) continue
    header.report('error', 'denial-unknown', line, message, `Write ${meant}.`)
  }
}
