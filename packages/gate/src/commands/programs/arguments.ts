import type { Word } from '../line/line.ts'

export interface Unlisted {
  readonly word: string
  /** The spellings by which a pattern may name it. */
  readonly names: readonly string[]
}

export interface PathWord {
  readonly text: string
  /** It stands for the files that match it. */
  readonly isGlob: boolean
  /** A revision as likely as a path: it only matters where it leads somewhere it must not. */
  readonly isGuess: boolean
}

/** What is known about the words behind a program's name. Filled while they are read from the left to the right. */
export class Arguments {
  /** Words that no list knows. */
  readonly unlisted: Unlisted[] = []
  /** Words, or parts of them, that the program opens. */
  readonly paths: PathWord[] = []

  reject(word: string, ...names: readonly string[]): void {
    this.unlisted.push({ word, names: [word, ...names] })
  }

  path({ text, glob }: Word, isGuess = false): void {
    this.paths.push({ text, isGlob: glob !== undefined, isGuess })
  }
}
