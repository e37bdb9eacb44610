import type { Word } from '../line/line.ts'

export interface UnlistedOption {
  readonly word: string
  /** The spellings by which a pattern can name it. */
  readonly names: readonly string[]
}

export interface PathWord {
  readonly text: string
  /** True if it expands to matching files. */
  readonly isGlob: boolean
  /** It could also be a revision, so it matters only if the path is not allowed. */
  readonly isGuess: boolean
}

/** What is known about the arguments of a program. Filled while they are read from left to right. */
export class Arguments {
  /** Words that are not listed for the program. */
  readonly unlisted: UnlistedOption[] = []
  /** Words, or parts of them, that the program opens. */
  readonly paths: PathWord[] = []

  reject(word: string, ...names: readonly string[]): void {
    this.unlisted.push({ word, names: [word, ...names] })
  }

  path({ text, glob }: Word, isGuess = false): void {
    this.paths.push({ text, isGlob: glob !== undefined, isGuess })
  }
}
