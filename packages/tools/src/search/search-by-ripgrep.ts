import { type Json, parseJson } from '@cadre/core'
import { ripgrep, toDisplayPath } from './ripgrep.ts'
import type { Search } from './search-by-walking.ts'

const maxFileSize = '10M'
const maxPerFile = 100

export function searchByRipgrep(program: string): Search {
  return async (request, take, signal) => {
    const { place, queries, regex, ignoreCase, context, max, filter } = request
    const args = ['--json', '--sort=path', `--max-filesize=${maxFileSize}`, `--max-count=${maxPerFile}`]
    args.push(regex ? '--engine=auto' : '--fixed-strings', ignoreCase ? '--ignore-case' : '--case-sensitive')
    if (queries.some((query) => query.includes('\n'))) args.push('--multiline')
    if (context > 0) args.push(`--context=${context}`)
    // Attached to its option, so that a query that starts with a dash stays a query.
    for (const query of queries) args.push(`--regexp=${query}`)
    args.push('--', './')
    let matches = 0
    let more = false
    await ripgrep(
      {
        program,
        root: request.root,
        folder: place.real,
        args,
        take(record) {
          const line = lineOf(record)
          if (line === undefined) return true
          const path = place.shown === '.' ? line.path : `${place.shown}/${line.path}`
          if (filter !== undefined && !filter(path)) return true
          if (line.isMatch && ++matches > max) {
            more = true
            return false
          }
          take({ ...line, path })
          return true
        },
      },
      signal,
    )
    return more
  }
}

function lineOf(record: string) {
  if (record === '') return undefined
  const parsed = parseJson(record)
  const { type, data } = (parsed.ok ? parsed.value : {}) as { type?: string; data?: Record<string, Json> }
  if ((type !== 'match' && type !== 'context') || data === undefined) return undefined
  const path = toDisplayPath(textOf(data['path']))
  return { path, line: Number(data['line_number']), text: textOf(data['lines']), isMatch: type === 'match' }
}

/** ripgrep returns text that is not UTF-8 as base64. */
function textOf(value: Json | undefined): string {
  const { text, bytes } = (value ?? {}) as { text?: string; bytes?: string }
  return text ?? Buffer.from(bytes ?? '', 'base64').toString('utf8')
}
