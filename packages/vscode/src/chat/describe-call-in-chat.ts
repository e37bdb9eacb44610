import { interpretToolName } from '@cadre/core'

interface CallPhrase {
  /** `reading src/a.ts`; absent if there is nothing to show. */
  readonly doing?: string
  /** Its file, as the model wrote it. */
  readonly path?: string
  readonly writes?: boolean
}

/** Describes a call in a few words. */
export function describeCallInChat(tool: string, input: string): CallPhrase {
  const given = fieldsOf(input)
  const text = (...names: string[]) =>
    names
      .map((name) => given[name])
      .find((value): value is string => typeof value === 'string' && value !== '')
  const path = text('path', 'filePath', 'file_path', 'file', 'uri')
  const about = (verb: string, what: string | undefined) =>
    what === undefined ? verb : `${verb} ${short(what)}`
  switch (meaningOf(tool)) {
    case 'read_file':
    case 'view_image':
      return { doing: about('reading', path), ...(path !== undefined && { path }) }
    case 'write_file':
      return { doing: about('writing', path), ...(path !== undefined && { path, writes: true }) }
    case 'edit_file':
      return { doing: about('editing', path), ...(path !== undefined && { path, writes: true }) }
    case 'list_directory':
      return { doing: about('listing', path ?? '.') }
    case 'create_directory':
      return { doing: about('creating', path) }
    case 'find_files':
    case 'search_files':
      return { doing: about('searching for', text('query', 'pattern', 'glob')) }
    case 'execute_command':
      return { doing: about('running', text('command')) }
    case 'web_fetch':
      return { doing: about('fetching', text('url')) }
    case 'delegateWork':
    case 'delegate_task':
    case 'reportOut':
      // The session that it starts or ends is shown instead.
      return {}
    default:
      return { doing: `using ${short(tool)}` }
  }
}

function meaningOf(tool: string): string {
  const meaning = interpretToolName(tool)
  return meaning.kind === 'tools' ? (meaning.names[0] ?? tool) : tool
}

function fieldsOf(input: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(input)
    return typeof value === 'object' && value !== null ? (value as { [name: string]: unknown }) : {}
  } catch {
    return {}
  }
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 120)} …` : line
}
