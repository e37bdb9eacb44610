import type { TrustItem } from '@cadre/home'

/** Something in a folder that runs a program, or permits more than the default, once a person trusts it. */
export interface FolderItem extends TrustItem {
  /** The file to inspect, and the line if known. */
  readonly file: string
  readonly line?: number
  /** What it would do, as the rest of a sentence: `runs code from the repository`. */
  readonly what: string
}

/** Something that exists but cannot be used, and why. */
export interface UnusableItem {
  readonly file: string
  readonly reason: string
}

/** Everything in a folder that needs trust. */
export interface FolderContents {
  readonly items: readonly FolderItem[]
  readonly unusable: readonly UnusableItem[]
}
