import type { ShellWord } from './shell-word.ts'

/** What those that look into a command tell about it. */
export interface Reader {
  /** Words of another command that this one starts. `covered`: it needs no permission of its own. */
  command(words: readonly ShellWord[], how?: { readonly covered?: true }): void
  /** Source in the language of the shell that this one runs. */
  script(source: ShellWord): void
  /** Why a person must look at the line: a sentence. */
  doubt(sentence: string): void
  /** The line is refused whatever anybody allows. */
  refuse(what: string, reason: string): void
  /** A variable is set: for the programs that follow, or only for the shell. */
  variable(name: string, isExported?: boolean): void
  /** What follows runs in another folder. */
  folder(path: ShellWord | undefined): void
}

/** What is left of a command when its wrapping is taken off. */
export interface Unwrapped {
  /** The words behind its name, where they are others than those written: `git -C a status` is `git status`. */
  readonly words?: readonly ShellWord[]
  readonly covered?: true
  readonly readsProgram?: true
}

/** Looks into a command. `words` begins behind its name. */
export type Unwrap = (words: readonly ShellWord[], reader: Reader, program: string) => Unwrapped
