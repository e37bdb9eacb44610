import { dialectFacts, type FileDialect } from './dialect-facts.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: file names must not contain them.
const unsafe = /[\x00-\x1f\x7f/\\:*?"<>|]+/g
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
const maxLength = 80

/**
 * Returns the path of an agent's file: its name, without characters that file systems reject. The file contains the exact
 * name, so nothing is lost. `used` contains the paths in use, without case, and gets this one.
 */
export function agentFilePath(name: string, dialect: FileDialect, used: Set<string> = new Set()): string {
  const { folder, ending } = dialectFacts(dialect)
  const base = baseName(name)
  for (let number = 1; ; number++) {
    const path = `${folder}/${base}${number === 1 ? '' : `-${number}`}${ending}`
    if (used.has(path.toLowerCase())) continue
    used.add(path.toLowerCase())
    return path
  }
}

function baseName(name: string): string {
  const safe = [...name.normalize('NFC').replace(unsafe, '-')].slice(0, maxLength).join('')
  const trimmed = safe.replace(/^[.\s]+|[.\s]+$/g, '')
  if (trimmed === '' || reserved.test(trimmed)) return `agent-${trimmed}`.replace(/-$/, '')
  return trimmed
}
