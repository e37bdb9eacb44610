import type { Diagnostic } from '@cadre/disk'
import { findBodyKeys, findKeys } from '../header/body-keys.ts'
import { agentNameFromPath } from './agent-name.ts'
import type { Dialect } from './dialects.ts'
import { type ParsedAgent, readDefinition } from './read-definition.ts'

/** Files in agent folders that are for people. They are agents only if their header says so. */
const notes = /^(?:readme|agents|claude|gemini|skill|changelog|contributing|license)(?:\.[\w-]+)?\.md$/i

export function isDocumentation(path: string): boolean {
  return notes.test(path.split(/[\\/]/).at(-1) ?? '')
}

/**
 * Reads a file without a header. If its host accepts it, it is an agent with its text as the prompt, unless the file seems
 * to contain a header that would then restrict nothing.
 */
export function readHeaderless(path: string, text: string, dialect: Dialect): ParsedAgent {
  if (isDocumentation(path)) return { diagnostics: [], ignored: true }
  if (text.trim() === '') return failedRead(path, 1, 'file-empty', 'The file is empty.')
  if (!isHeaderless(path, dialect))
    return failedRead(path, 1, 'header-missing', 'The file has no header, so it is not an agent.')
  const language = languageOf(text)
  if (language !== undefined) {
    const message = `The file starts with a header in ${language}, but Cadre reads only YAML.`
    return failedRead(path, 1, 'header-language', message)
  }
  const lost = unrecognisedHeader(path, text, 1)
  if (lost !== undefined) return lost
  const { name, plugin } = dialect
  const prompt = promptOf(text)
  const read = readDefinition({
    path,
    dialect: name,
    line: 1,
    entries: [],
    prompt,
    ...(plugin !== undefined && { plugin }),
  })
  const note: Diagnostic = {
    path,
    line: 1,
    severity: 'warning',
    code: 'header-missing',
    message:
      plugin === undefined
        ? "The file has no header, so Cadre reads all of it as an agent's instructions."
        : `The file has no header, so Claude Code loads it as agent ${plugin}:${agentNameFromPath(path)}, with the description ${JSON.stringify(read.agent?.description ?? '')} and every tool.`,
    fix: headerHint,
  }
  // Without a header, there is no description either.
  const others = read.diagnostics.filter(({ code }) => code !== 'description-missing')
  return { ...read, diagnostics: [note, ...others] }
}

function languageOf(text: string): string | undefined {
  const start = text.slice(0, 1_000).trimStart()
  if (/^\+{3,}[ \t]*(?:toml)?[ \t]*[\r\n]/i.test(start)) return 'TOML'
  return /^(?:;{3,}\s*)?\{\s*["}]/.test(start) ? 'JSON' : undefined
}

/** Reports a text that has the keys of an agent but no recognised header. */
export function unrecognisedHeader(path: string, text: string, firstLine: number): ParsedAgent | undefined {
  const [first] = [...findBodyKeys(text, firstLine, 'headerless'), ...findKeys(text, firstLine)]
  if (first === undefined) return undefined
  const message = `The file contains ${first.key}, like a header, but no readable header.`
  return failedRead(path, first.line, 'header-lost', message)
}

export function isHeaderless(path: string, { headerless }: Dialect): boolean {
  return headerless?.test(path.replaceAll('\\', '/')) === true
}

export function promptOf(body: string): string {
  const text = body.includes('\r') ? body.replaceAll(/\r\n?/g, '\n') : body
  return text.trim()
}

const headerHint = 'Start the file with --- on its own line, then name: and description:, then --- again.'

export function failedRead(path: string, line: number, code: string, message: string): ParsedAgent {
  return { diagnostics: [{ path, line, severity: 'error', code, message, fix: headerHint }] }
}
