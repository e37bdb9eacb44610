/**
 * Owns `approvals/votes/`: votes that are not in the journal yet, one file each. Votes are here while another process is running the session,
 * and while Cadre moves them from a form to the journal.
 *
 * 1. A file is complete as soon as it has its final name, and never changes.
 * 2. A file is removed only after its vote has been recorded or can no longer count. Votes have ids, so a vote that is read twice is recorded once.
 */
import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { isObject, type Json, messageOf, parseJson, type Vote, type VoteChannel } from '@cadre/core'
import { namesIn, ownerOnly, textOf } from '@cadre/disk'
import { type Home, rememberOwnWrite } from '@cadre/home'
import { readTextWithOwner } from './read-text-with-owner.ts'

export interface PendingVote extends Vote {
  readonly id: string
  /** The user id of the file's owner, who vouches for the vote. Absent on systems without user ids. */
  readonly uid?: number
}

export interface VoteFiles {
  readonly folder: string
  /** Call it while holding the forms' lock. */
  write(approval: string, vote: Omit<Vote, 'id'>): void
  /** The pending votes on an approval, in the order in which they were cast. */
  read(approval: string): readonly PendingVote[]
  remove(approval: string, vote: string): void
  /** Removes all votes on a decided approval. */
  clear(approval: string): void
  /** The approvals that have pending votes. */
  approvals(): readonly string[]
}

const ending = '.vote.json'
const maxLength = 100_000

export function openVoteFiles(
  home: Home,
  { now, tell }: { readonly now: () => number; readonly tell: (message: string) => void },
): VoteFiles {
  const folder = home.at('approvals', 'votes')
  const pathOf = (approval: string, vote: string) => `${folder}/${approval}.${vote}${ending}`
  const idsOf = (approval: string) =>
    namesIn(folder)
      .filter((name) => name.startsWith(`${approval}.`) && name.endsWith(ending))
      .map((name) => name.slice(approval.length + 1, -ending.length))
      .sort()
  const remove = (approval: string, vote: string) => {
    const path = pathOf(approval, vote)
    rememberOwnWrite(path, undefined)
    rmSync(path, { force: true })
  }
  return {
    folder,
    write(approval, vote) {
      home.folder('approvals', 'votes')
      // One process at a time writes votes, so existing drafts come from a killed process.
      for (const name of namesIn(folder))
        if (name.endsWith('.tmp')) rmSync(`${folder}/${name}`, { force: true })
      // Names sort by time.
      const id = `${String(now()).padStart(15, '0')}-${randomBytes(6).toString('hex')}`
      const path = pathOf(approval, id)
      const draft = `${folder}/.${approval}.${id}.tmp`
      const text = `${JSON.stringify({ approval, ...vote })}\n`
      writeFileSync(draft, text, { flag: 'wx', mode: ownerOnly, flush: true })
      rememberOwnWrite(path, text)
      renameSync(draft, path)
    },
    read: (approval) =>
      idsOf(approval).flatMap((id) => {
        const path = pathOf(approval, id)
        try {
          const vote = readVote(path, approval)
          return vote === undefined ? [] : [{ ...vote, id }]
        } catch (error) {
          tell(`${path}: this vote does not count: ${messageOf(error)}`)
          return []
        }
      }),
    remove,
    clear(approval) {
      for (const id of idsOf(approval)) remove(approval, id)
    },
    approvals: () => [
      ...new Set(
        namesIn(folder).flatMap((name) => (name.endsWith(ending) ? [name.slice(0, name.indexOf('.'))] : [])),
      ),
    ],
  }
}

function readVote(path: string, approval: string): Omit<PendingVote, 'id'> | undefined {
  const owned = readTextWithOwner(path)
  if (owned === undefined) return undefined
  const { raw, uid } = owned
  if (process.getuid !== undefined && uid === undefined)
    throw new Error('other users may have written the file')
  const parsed = raw.length > maxLength ? undefined : parseJson(textOf(raw))
  if (parsed?.ok !== true) throw new Error('the file is not valid JSON, or is too long')
  const vote = voteOf(parsed.value as Json, approval)
  return { ...vote, ...(uid !== undefined && { uid }) }
}

const channels: readonly VoteChannel[] = ['page', 'api', 'command', 'file', 'terminal', 'slack', 'protocol']

/** The file contains its approval's id, so that a renamed file does not become a vote on another approval. */
function voteOf(value: Json, wanted: string): Vote {
  const { approval, decision, by, via, reason } = isObject(value) ? value : {}
  if (approval !== wanted) throw new Error('the vote belongs to another approval')
  if (typeof decision !== 'string' || typeof by !== 'string' || !channels.includes(via as VoteChannel))
    throw new Error('the file does not contain the decision, the voter and the channel')
  return { decision, by, via: via as VoteChannel, ...(typeof reason === 'string' && { reason }) }
}
