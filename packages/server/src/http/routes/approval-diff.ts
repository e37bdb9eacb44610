import { createHash } from 'node:crypto'
import type { ApprovalDiff } from '@cadre/api'
import type { EventEntry, StoredSession } from '@cadre/core'
import type { ApprovalRecord } from '@cadre/gate'
import { unreadablePaths } from '@cadre/runtime'
import { type FilePreview, previewQuestion } from '@cadre/tools'
import { createTwoFilesPatch } from 'diff'
import type { ApiContext } from '../api-context.ts'

/** The change that a pending write would make, computed from the call's input and the current file. */
export async function approvalDiff(record: ApprovalRecord, context: ApiContext): Promise<ApprovalDiff> {
  const stored = await context.sessions.read(record.session)
  const files = stored && (await previewOf(stored, record))
  if (files === undefined && record.type === 'terminal_command') return { patch: '' }
  if (files === undefined)
    return {
      patch: '',
      note: 'Cadre cannot show a diff: the call does not edit text files, or its change cannot be applied to the current files.',
    }
  const { environment, home, workspace } = context
  const isUnreadable = await unreadablePaths(environment, { home, workspace })
  const hidden = files.filter(({ path }) => isUnreadable(path, stored?.spec.workspace ?? workspace))
  // A patch shows the file's current content, and its hash can reveal short secrets.
  if (hidden.length > 0)
    return {
      patch: '',
      note: `Cadre does not show a diff, because agents may not read ${hidden.map(({ path }) => path).join(', ')}.`,
    }
  const patch = files.map(patchOf).join('')
  const [only] = files
  const base = files.length === 1 && only?.before !== undefined ? sha256(only.before) : undefined
  return {
    patch,
    ...(base !== undefined && { base }),
    ...(record.status !== 'pending' && {
      note: 'The approval has been decided. The diff compares the change with the current file.',
    }),
  }
}

async function previewOf(
  stored: StoredSession,
  { question, call }: ApprovalRecord,
): Promise<readonly FilePreview[] | undefined> {
  const asked = stored.entries.find(
    (entry): entry is EventEntry =>
      entry.role === 'event' && entry.type === 'person.asked' && entry['name'] === question,
  )
  return previewQuestion(stored, { call, detail: asked?.['detail'] })
}

function patchOf({ path, before, after }: FilePreview): string {
  const [from, to] = [
    before === undefined ? '/dev/null' : `a/${path}`,
    after === undefined ? '/dev/null' : `b/${path}`,
  ]
  // The library's output begins with a line of `=`, which is not part of a git patch.
  return createTwoFilesPatch(from, to, before ?? '', after ?? '').replace(/^=+\n/, '')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
