import type { Agent, Configuration, Draft, FromPage, Level } from '@cadre/settings-page'
import { agentsIn } from './configuration.ts'

/** More than any person writes, and small enough to handle. */
const maxTextLength = 5_000_000

/** Parses a message of the page, which is not trusted. `undefined` if it is invalid. */
export function readMessage(value: unknown): FromPage | undefined {
  if (!isObject(value)) return undefined
  switch (value['type']) {
    case 'ready':
    case 'import':
    case 'refreshTools':
      return { type: value['type'] }
    case 'check': {
      const configuration = readConfiguration(value['configuration'])
      const { id, selected } = value
      if (configuration === undefined || !isIndex(id) || !isIndex(selected)) return undefined
      return { type: 'check', id, selected, configuration }
    }
    case 'keep': {
      if (value['draft'] === undefined) return { type: 'keep' }
      const draft = readDraft(value['draft'])
      return draft && { type: 'keep', draft }
    }
    case 'save': {
      const draft = readDraft(value['draft'])
      return draft && { type: 'save', draft, overwrite: value['overwrite'] === true }
    }
    case 'export': {
      const configuration = readConfiguration(value['configuration'])
      const { to } = value
      return configuration && (to === 'json' || to === 'files')
        ? { type: 'export', to, configuration }
        : undefined
    }
    case 'reset':
    case 'openJson': {
      const { type, level } = value
      return isLevel(level) ? { type, level } : undefined
    }
    case 'template':
    case 'copyFile':
    case 'openFile': {
      const { type, id } = value
      return typeof id === 'string' && id.length < 10_000 ? { type, id } : undefined
    }
    default:
      return undefined
  }
}

function readDraft(value: unknown): Draft | undefined {
  if (!isObject(value)) return undefined
  const configuration = readConfiguration(value['configuration'])
  const { level, stamp } = value
  if (configuration === undefined || !isLevel(level) || typeof stamp !== 'string') return undefined
  return { level, stamp, configuration }
}

/** Accepts only JSON and well-formed agents: invalid parts permit nothing. */
function readConfiguration(value: unknown): Configuration | undefined {
  if (!isObject(value) || typeof value['entryAgent'] !== 'string' || !Array.isArray(value['agents']))
    return undefined
  const text = JSON.stringify(value['agents'])
  if (text.length > maxTextLength) return undefined
  const written: unknown = JSON.parse(text)
  const agents: readonly Agent[] = agentsIn(written)
  return agents.length === value['agents'].length ? { entryAgent: value['entryAgent'], agents } : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isLevel(value: unknown): value is Level {
  return value === 'user' || value === 'workspace' || value === 'folder'
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
