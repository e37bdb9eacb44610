import { withoutArguments } from '../built-in.ts'

const byMeaning = new Set([
  'semantic_search',
  'semanticsearch',
  'code_search',
  'codesearch',
  'codebase',
  'search/codebase',
  'codebase_search',
  'copilot_searchcodebase',
])
const outputs: { readonly [mode: string]: string } = {
  content: 'lines',
  files_with_matches: 'files',
  count: 'counts',
}

/** Converts a search of any dialect to the arguments of this tool. */
export function reshapeSearch(input: Record<string, unknown>, spelling: string): Record<string, unknown> {
  const { isRegexp, includePattern, include, output_mode, head_limit, maxResults, type, ...rest } =
    withoutArguments(input, ['explanation', '-n', 'multiline', 'offset', 'includeIgnoredFiles'])
  const { '-i': ignoreCase, '-A': after, '-B': before, '-C': around, ...given } = rest
  const set = (name: string, value: unknown) => {
    if (value !== undefined && value !== null && value !== '') given[name] ??= value
  }
  const name = spelling.toLowerCase()
  // These dialects promise regular expressions, or semantic search.
  if (name === 'grep' || name === 'ripgrep' || name === 'rg' || isRegexp === true) set('mode', 'regex')
  else if (byMeaning.has(name)) set('mode', 'semantic')
  set('glob', includePattern ?? include ?? (typeof type === 'string' ? `*.${type}` : undefined))
  set('ignoreCase', ignoreCase)
  const lines = Math.max(...[around, after, before].map((value) => (typeof value === 'number' ? value : 0)))
  if (lines > 0) set('context', Math.min(lines, 20))
  const limit = head_limit ?? maxResults
  if (typeof limit === 'number' && limit > 0) set('limit', limit)
  if (typeof output_mode === 'string') set('output', outputs[output_mode] ?? output_mode)
  // The default output of Claude's Grep.
  else if (name === 'grep' && spelling === 'Grep' && Object.hasOwn(input, 'pattern')) set('output', 'files')
  return given
}
