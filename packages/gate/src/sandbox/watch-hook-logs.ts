import path from 'node:path'
import { watchHookActivity } from '../hooks/hook-activity.ts'
import type { Change } from './undo-changes.ts'

/**
 * Hooks run while a command is watched, and write logs in their own folder. If a hook has run, appended text in such a log
 * is expected. Returns undefined for other changes.
 */
export function watchHookLogs(): (change: Change) => 'fine' | 'undo' | Buffer | undefined {
  const hooksRan = watchHookActivity()
  return (change) => (isLog(change) && hooksRan() ? settle(change) : undefined)
}

/** Recognised by names that are never run or read as a hook. */
function isLog({ path: place, before, after }: Change): boolean {
  const [, below] = place.split(`${path.sep}.github${path.sep}hooks${path.sep}`)
  if (below === undefined) return false
  if (after?.kind === 'folder') return before === undefined && below === 'logs'
  return /\.(?:jsonl|log)$/.test(below)
}

function settle({ before, after }: Change): 'fine' | 'undo' | Buffer {
  if (after?.kind === 'folder') return 'fine'
  if (after?.kind !== 'file') return 'undo'
  if (before === undefined) return 'fine'
  if (before.kind !== 'file' || before.content === undefined || after.content === undefined) return 'undo'
  const { length } = before.content
  if (after.content.subarray(0, length).equals(before.content)) return 'fine'
  return Buffer.concat([before.content, after.content.subarray(length)])
}
