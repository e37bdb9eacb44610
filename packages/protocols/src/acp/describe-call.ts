import path from 'node:path'
import { interpretToolName, isObject } from '@cadre/core'
import { shownLine } from '@cadre/gate'
import type { ToolKind } from './acp-types.ts'
import { parseInput } from './limit-json.ts'

export interface CallCard {
  /** The complete action in one line, so that nobody has to decide based only on a tool's name. */
  readonly title: string
  readonly kind: ToolKind
  readonly locations: { readonly path: string; readonly line?: number }[]
  /** True for calls that do not need a card, because the end of their session is shown. */
  readonly isHidden: boolean
  readonly isDelegation: boolean
}

const maxTitle = 4_000

/** Describes a call for an editor. `workspace`: the folder in which the agent works. */
export function describeCall(
  tool: string,
  input: string,
  { workspace }: { readonly workspace: string },
): CallCard {
  const parsed = parseInput(input)
  const given = isObject(parsed) ? parsed : {}
  const text = (...names: string[]) =>
    names.map((name) => given[name]).find((one): one is string => typeof one === 'string' && one !== '')
  const file = text('path', 'filePath', 'file_path', 'absolute_path', 'target_file', 'filename', 'file')
  const first = [given['offset'], given['startLine']].find((one) => typeof one === 'number' && one > 0)
  const location = file === undefined || file.includes('\0') ? [] : [path.resolve(workspace, file)]
  const card = (title: string, kind: ToolKind, more: Partial<CallCard> = {}): CallCard => ({
    title: shownLine(title, maxTitle),
    kind,
    locations: location.map((at) => ({ path: at, ...(first !== undefined && { line: Number(first) }) })),
    isHidden: false,
    isDelegation: false,
    ...more,
  })
  switch (meaningOf(tool)) {
    case 'read_file':
      return card(`Read ${file ?? ''}${first === undefined ? '' : ` from line ${String(first)}`}`, 'read')
    case 'view_image':
      return card(`View ${file ?? ''}`, 'read')
    case 'list_directory':
      return card(`List ${file ?? '.'}`, 'read')
    case 'write_file':
      return card(`Write ${file ?? ''}`, 'edit')
    case 'edit_file':
      return card(file === undefined ? `Edit files` : `Edit ${file}`, 'edit')
    case 'create_directory':
      return card(`Create folder ${file ?? ''}`, 'edit')
    case 'find_files':
    case 'search_files':
      return card(`Search for ${text('query', 'pattern', 'glob') ?? ''}`, 'search', { locations: [] })
    case 'execute_command':
      return card(text('command', 'cmd', 'script') ?? tool, 'execute', { locations: [] })
    case 'web_fetch':
      return card(`Fetch ${text('url') ?? ''}`, 'fetch', { locations: [] })
    case 'delegateWork':
    case 'delegate_task': {
      const agent = text('agentName', 'agent', 'agent_name', 'subagent_type', 'agent_id') ?? 'agent'
      const work = text('workDescription', 'task', 'prompt', 'description', 'work') ?? ''
      return card(`${agent}: ${work.slice(0, 300)}`, 'think', { locations: [], isDelegation: true })
    }
    case 'reportOut':
      return card('Report', 'other', { isHidden: true, locations: [] })
    default: {
      const fields = isObject(parsed) && Object.keys(parsed).length === 0 ? '' : ` ${JSON.stringify(parsed)}`
      return card(`${tool}${fields}`, 'other')
    }
  }
}

function meaningOf(tool: string): string {
  const meaning = interpretToolName(tool)
  return meaning.kind === 'tools' ? (meaning.names[0] ?? tool) : tool
}
