import { parseJson } from '@cadre/core'
import { cleanLine } from './clean-text.ts'

const argumentKeys = [
  'path',
  'command',
  'query',
  'glob',
  'url',
  'to',
  'agentName',
  'subagent_type',
  'description',
  'file',
]

/** A call in a few words: the tool, and its most specific argument. */
export function callText(name: string, input: string): string {
  const value = mainArgument(input)
  return value === '' ? cleanLine(name) : `${cleanLine(name)} ${value}`
}

function mainArgument(input: string): string {
  const parsed = parseJson(input)
  const value = parsed.ok ? parsed.value : undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return cleanLine(input.slice(0, 400))
  const fields = value as Record<string, unknown>
  const key = argumentKeys.find((candidate) => typeof fields[candidate] === 'string') ?? firstText(fields)
  const said = key === undefined ? undefined : fields[key]
  return typeof said === 'string' ? cleanLine(said.slice(0, 400)) : ''
}

function firstText(fields: Record<string, unknown>): string | undefined {
  return Object.keys(fields).find((key) => typeof fields[key] === 'string')
}
