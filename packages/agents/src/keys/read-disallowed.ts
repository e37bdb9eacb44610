import type { PermissionRule } from '@cadre/core'
import type { Located } from '@cadre/disk'
import type { HeaderReader } from './header-reader.ts'
import { readNames } from './read-names.ts'
import { rejectMisspelt } from './reject-misspelt.ts'
import { scopePatterns } from './tool-list.ts'

export interface DisallowedTools {
  readonly names: readonly string[]
  /** Rules for tools that are denied only for some uses. */
  readonly rules: readonly PermissionRule[]
}

/** `unclear`: it is unknown what is denied, so nothing is permitted. */
export function readDisallowed(header: HeaderReader): DisallowedTools | 'unclear' {
  const names: string[] = []
  const rules: PermissionRule[] = []
  for (const field of header.takeAll('disallowedtools')) {
    const written = readNames(field)
    if (written === undefined || written.dropped.length > 0) {
      header.report(
        'warning',
        'disallowed-tools-unclear',
        field.line,
        'disallowedTools must be a list of names or comma-separated text. Until you fix it, the agent gets no tools.',
        'Write disallowedTools: [edit, execute].',
      )
      return 'unclear'
    }
    for (const entry of written.names) {
      if (entry === '*') return 'unclear'
      const scoped = /^([^()]+)\((.*)\)$/s.exec(entry)
      const patterns = scopePatterns(scoped?.[2]?.trim() ?? '')
      const name = (scoped?.[1] ?? entry.replace(/[(].*$/s, '')).trim()
      rejectMisspelt(header, name, lineOf(name, field))
      if (patterns.length > 0 && !patterns.includes('*'))
        rules.push(...patterns.map((pattern) => ({ tool: name, pattern, action: 'deny' }) as const))
      // A space may be part of a name or separate two: deny both readings.
      else names.push(name, ...(/\s/.test(name) ? name.split(/\s+/) : []))
    }
  }
  return { names, rules }
}

/** The line of a name in a list. */
function lineOf(name: string, { items, line }: Located): number {
  return items?.find(({ value }) => typeof value === 'string' && value.includes(name))?.line ?? line
}
