import type { Handoff, Json } from '@cadre/core'
import type { Located } from '@cadre/disk'
import type { HeaderReader } from './header-reader.ts'

/**
 * Reads suggested handoffs. An invalid one is skipped with a warning, because it permits nothing. Unknown parts are kept
 * with their handoff, to be written back.
 */
export function readHandoffs(header: HeaderReader): readonly Handoff[] | undefined {
  const field = header.take('handoffs')
  if (field === undefined || field.value === null) return undefined
  if (field.items === undefined) {
    header.report(
      'warning',
      'handoffs-unclear',
      field.line,
      'handoffs must be a list. Cadre ignores it.',
      'Write a list of entries with label, agent and prompt.',
    )
    return undefined
  }
  return field.items.flatMap((item) => {
    const handoff = handoffOf(item)
    if (handoff !== undefined) return [handoff]
    // An unreadable one was already reported.
    if (item.isLoose === true) return []
    header.report(
      'warning',
      'handoff-unclear',
      item.line,
      'This handoff does not name an agent. Cadre ignores it.',
      'Write label, agent and prompt.',
    )
    return []
  })
}

/** The lines of the used handoffs, in order. */
export function handoffLineNumbers(field: Located | undefined): readonly number[] {
  return (field?.items ?? []).flatMap((item) => (handoffOf(item) === undefined ? [] : [item.line]))
}

const known = ['label', 'agent', 'prompt', 'send', 'model', 'context']

function handoffOf(item: Located): Handoff | undefined {
  if (typeof item.value === 'string' && item.value.trim() !== '') {
    const name = item.value.trim()
    return { label: name, agent: name, prompt: '' }
  }
  const agent = textOf(item, 'agent')
  if (agent === undefined || agent === '') return undefined
  const send = item.fields?.get('send')?.value
  const model = textOf(item, 'model')
  const context = textOf(item, 'context')
  const others = [...(item.fields ?? [])].filter(([key]) => !known.includes(key))
  return {
    ...(Object.fromEntries(others.map(([key, { value }]) => [key, value])) as {
      readonly [key: string]: Json
    }),
    label: textOf(item, 'label') ?? agent,
    agent,
    prompt: textOf(item, 'prompt') ?? '',
    ...(typeof send === 'boolean' && { send }),
    ...(model !== undefined && { model }),
    ...((context === 'full' || context === 'summary' || context === 'none') && { context }),
  }
}

function textOf(item: Located, key: string): string | undefined {
  const value = item.fields?.get(key)?.value
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : undefined
}
