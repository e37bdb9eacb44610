import type { Word } from '../line/line.ts'

/** What is known about the words behind a program's name. */
export interface Arguments {
  /** Words that no list knows, each with the spellings by which a pattern may name it. */
  readonly unlisted: readonly Unlisted[]
  /** Words, or parts of them, that the program opens. */
  readonly paths: readonly PathWord[]
}

export interface Unlisted {
  readonly word: string
  readonly names: readonly string[]
}

export interface PathWord {
  readonly text: string
  /** It stands for the files that match it. */
  readonly isGlob: boolean
  /** A revision as likely as a path: it only matters where it leads somewhere it must not. */
  readonly isGuess: boolean
}

/** Collects while words are read from the left to the right. */
export class ArgumentsBuilder implements Arguments {
  readonly unlisted: Unlisted[] = []
  readonly paths: PathWord[] = []

  reject(word: string, ...names: readonly string[]): void {
    this.unlisted.push({ word, names: [word, ...names] })
  }

  path(word: Pick<Word, 'text' | 'glob'>, isGuess = false): void {
    this.paths.push({ text: word.text, isGlob: word.glob !== undefined, isGuess })
  }
}
