import type { Handoff } from '@cadre/core'
import type { Located } from '../located.ts'
import type { HeaderReader } from './header-reader.ts'

/** Suggestions for what comes next. One that cannot be read is left out, with a warning: it permits nothing. */
export function readHandoffs(header: HeaderReader): readonly Handoff[] | undefined {
  const field = header.take('handoffs')
  if (field === undefined || field.value === null) return undefined
  if (field.items === undefined) {
    header.report(
      'warning',
      'handoffs-unclear',
      field.line,
      'handoffs must be a list, so it was left out.',
      'Write a list of label, agent and prompt.',
    )
    return undefined
  }
  return field.items.flatMap((item) => {
    const handoff = handoffOf(item)
    if (handoff !== undefined) return [handoff]
    header.report(
      'warning',
      'handoff-unclear',
      item.line,
      'A handoff needs at least the agent it goes to, so it was left out.',
      'Write label, agent and prompt.',
    )
    return []
  })
}

function handoffOf(item: Located): Handoff | undefined {
  if (typeof item.value === 'string' && item.value !== '')
    return { label: item.value, agent: item.value, prompt: '' }
  const agent = textOf(item, 'agent')
  if (agent === undefined || agent === '') return undefined
  const send = item.fields?.get('send')?.value
  const model = textOf(item, 'model')
  return {
    label: textOf(item, 'label') ?? agent,
    agent,
    prompt: textOf(item, 'prompt') ?? '',
    ...(typeof send === 'boolean' && { send }),
    ...(model !== undefined && { model }),
  }
}

function textOf(item: Located, key: string): string | undefined {
  const value = item.fields?.get(key)?.value
  return typeof value === 'string' ? value.trim() : undefined
}
