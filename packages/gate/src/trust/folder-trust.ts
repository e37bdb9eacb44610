import { createHash } from 'node:crypto'
import type { Trust, TrustItem } from '@cadre/home'
import type { FolderContents, FolderItem } from './folder-item.ts'

/**
 * The trust in a folder. It applies as a whole: if one item is not trusted, none is used, because nobody has reviewed their
 * combination.
 */
export interface FolderTrust {
  readonly folder: string
  readonly contents: FolderContents
  readonly trusted: boolean
  /** Items that are not trusted yet; empty if the folder is trusted. */
  readonly missing: readonly FolderItem[]
  /** A person has declined exactly these items. */
  readonly declined: boolean
  /** True if an item of the folder is trusted with its current content. */
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

/** Stores a person's answer about the current contents of a folder. */
export function storeAnswer(answer: 'yes' | 'no', { folder, contents }: FolderTrust, trust: Trust): void {
  if (answer === 'yes') trust.add(contents.items.map(({ path, sha256 }) => ({ path, sha256 })))
  else trust.decline(answerItem(folder, contents))
}

function answerItem(folder: string, { items }: FolderContents): TrustItem {
  const digest = createHash('sha256')
  for (const { path, sha256 } of items) digest.update(`${path}\0${sha256}\0`)
  return { path: folder, sha256: digest.digest('hex') }
}
