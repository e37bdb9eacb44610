import { closeSync, readSync } from 'node:fs'
import { isEndedStatus, type ReportStatus, type SessionStatus } from '@cadre/core'
import { openRegularFile, readRegularFile } from '@cadre/disk'
import { readHeaderTop, readOutcome } from './read-header.ts'
import { type ReadOptions, readJournal } from './read-journal.ts'
import { readWork } from './read-work.ts'

/** The data of a session that lists show. */
export interface SessionSummary {
  readonly id: string
  readonly agent: string
  readonly parent?: string
  readonly status: SessionStatus
  readonly outcome?: ReportStatus
  readonly created: string
  readonly updated: string
  /** The beginning of its work. Absent if it is too far down in the file. */
  readonly work?: string
}

const headSize = 4096
const head = Buffer.allocUnsafe(headSize)

/**
 * Reads the summary of a session file from its header, except for a file in another format, which is read completely. Returns `undefined`
 * for a session whose creation was interrupted.
 */
export function readSummary(options: ReadOptions): SessionSummary | undefined {
  return summaryOfHead(options) ?? summaryOfWhole(options)
}

function summaryOfHead(options: ReadOptions): SessionSummary | undefined {
  const file = openRegularFile(options.path)
  try {
    const text = head.toString('utf8', 0, readSync(file, head, 0, headSize, 0))
    const top = readHeaderTop(text)
    if (top === undefined) return undefined
    const { agent_id, parent, status, created, updated } = top.fields
    const ended = isEndedStatus(status)
    const outcome = ended ? outcomeIn(file, text) : 'null'
    if (outcome === undefined || typeof agent_id !== 'string') return undefined
    return {
      id: options.id,
      agent: agent_id,
      ...(typeof parent === 'string' ? { parent } : {}),
      status: status as SessionStatus,
      ...(outcome === 'null' ? {} : { outcome: outcome as ReportStatus }),
      created: String(created),
      updated: String(updated),
      ...workIn(file, text),
    }
  } finally {
    closeSync(file)
  }
}

/** The outcome is below the prompt, which may be longer than the bytes read so far. */
function outcomeIn(file: number, head: string): string | undefined {
  const key = '\nmetadata:\n'
  let text = head
  for (let size = headSize * 4; ; size *= 4) {
    const at = text.indexOf(key)
    const outcome = at < 0 ? undefined : readOutcome(text, at + key.length)
    if (outcome !== undefined || text.includes('\nmessages:\n')) return outcome
    const more = Buffer.allocUnsafe(size)
    const length = readSync(file, more, 0, size, 0)
    text = more.toString('utf8', 0, length)
    if (length < size) return readOutcome(text, text.indexOf(key) + key.length)
  }
}

const maxWorkBytes = 32_768
const maxWorkLength = 2_000

/** The work is below the prompt as well. Reads at most one more part, so that lists stay fast with long prompts. */
function workIn(file: number, head: string): { work?: string } {
  let work = readWork(head)
  if (work === undefined && !head.includes('\nmessages:\n')) {
    const more = Buffer.allocUnsafe(maxWorkBytes)
    work = readWork(more.toString('utf8', 0, readSync(file, more, 0, maxWorkBytes, 0)))
  }
  return work === undefined ? {} : { work: work.slice(0, maxWorkLength) }
}

function summaryOfWhole(options: ReadOptions): SessionSummary | undefined {
  const journal = readJournal(readRegularFile(options.path), options)
  if (journal === undefined) return undefined
  const { spec, status, outcome, updated } = journal
  return {
    id: spec.id,
    agent: spec.agent.name,
    ...(spec.parent ? { parent: `${spec.parent.session}/${spec.parent.call}` } : {}),
    status,
    ...(outcome ? { outcome } : {}),
    created: spec.created,
    updated,
    work: spec.work.content.slice(0, maxWorkLength),
  }
}
