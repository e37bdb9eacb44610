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
    const message = `${JSON.stringify(word)} is denied, and is no known tool; it seems to be meant as ${meant}, so the agent is not used.`
    header.report('error', 'denial-unknown', line, message, `Write ${meant}.`)
  }
}
