import type { TrustItem } from '@cadre/home'

/** Something in a folder that runs a program, or permits more than the default, once a person agrees to it. */
export interface FolderItem extends TrustItem {
  /** The file to look at, and the line where it is known. */
  readonly file: string
  readonly line?: number
  /** What it would do, as the rest of a sentence: `runs code of the repository`. */
  readonly what: string
}

/** Something that is there and can not be used by anybody, and why. */
export interface UnusableItem {
  readonly file: string
  readonly reason: string
}

/** All that a folder brings. */
export interface FolderContents {
  readonly items: readonly FolderItem[]
  readonly unusable: readonly UnusableItem[]
}
