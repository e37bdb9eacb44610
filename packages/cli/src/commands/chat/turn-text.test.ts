import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { applyToView, type CadreEvent, type EventBody, emptyView } from '@cadre/core'
import { expect, it, onTestFinished } from 'vitest'
import { createStyle } from '../../output/style.ts'
import { CollapsedOutputs } from './collapsed-outputs.ts'
import { TurnText } from './turn-text.ts'

it.each([
  ['edit_file', 'path'],
  ['Edit', 'file_path'],
  ['create_file', 'filePath'],
])('shows what a call of %s changed', (name, key) => {
  const workspace = mkdtempSync(path.join(tmpdir(), 'cadre-turn-'))
  onTestFinished(() => rmSync(workspace, { recursive: true }))
  const file = path.join(workspace, 'a.txt')
  writeFileSync(file, 'one\n')
  const view = emptyView()
  const style = createStyle(false)
  const folded = new CollapsedOutputs()
  const text = new TurnText({ view, style, columns: () => 80, workspace, folded })
  const show = (body: EventBody) => {
    const event = { session: 's', at: '2026-11-18T10:00:00Z', ...body } as unknown as CadreEvent
    applyToView(view, event)
    return text.event(event)
  }
  const input = JSON.stringify({ [key]: 'a.txt' })
  show({ type: 'session.started', agent: 'lead', model: 'm', work: 'w', root: 's', depth: 0 })
  show({ type: 'reply.received', round: 1, text: '', calls: [{ id: 'c', name, input }] })
  show({ type: 'call.started', call: 'c', tool: name })
  writeFileSync(file, 'two\n')
  const lines = show({ type: 'call.settled', call: 'c', outcome: 'done', content: 'ok' })
  expect(lines.join('\n')).toContain('a.txt +1 -1')
})
