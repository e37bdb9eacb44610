import { createHash } from 'node:crypto'
import type { Trust, TrustItem } from '@cadre/home'
import type { FolderContents, FolderItem } from './folder-item.ts'

/**
 * Whether a folder is trusted. It is so as a whole: where one of the things it brings is not agreed to, none of them is used,
 * since nobody has looked at what they do together.
 */
export interface FolderTrust {
  readonly folder: string
  readonly contents: FolderContents
  readonly trusted: boolean
  /** What nobody has agreed to yet; empty when it is trusted. */
  readonly missing: readonly FolderItem[]
  /** A person has said no to exactly this. */
  readonly declined: boolean
  /** Of something that the folder brings, with the content it has where it is used. */
  trusts(item: TrustItem): boolean
}

export function judgeFolder(folder: string, contents: FolderContents, trust: Trust): FolderTrust {
  const missing = contents.items.filter((item) => !trust.trusts(item))
  const trusted = missing.length === 0
  return {
    folder,
    contents,
    trusted,
    missing,
    declined: !trusted && trust.declines(answerItem(folder, contents)),
    trusts: (item) => trusted && trust.trusts(item),
  }
}

/** Keeps a person's answer about all that a folder brings now. */
export function keepAnswer(answer: 'yes' | 'no', { folder, contents }: FolderTrust, trust: Trust): void {
  if (answer === 'yes') trust.add(contents.items.map(({ path, sha256 }) => ({ path, sha256 })))
  else trust.decline(answerItem(folder, contents))
}

function answerItem(folder: string, { items }: FolderContents): TrustItem {
  const digest = createHash('sha256')
  for (const { path, sha256 } of items) digest.update(`${path}\0${sha256}\0`)
  return { path: folder, sha256: digest.digest('hex') }
}
