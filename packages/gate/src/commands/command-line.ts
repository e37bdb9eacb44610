import type { List, Word } from './line/line.ts'
import { programOf } from './program-name.ts'
import { type Described, describeCommand } from './programs/describe-command.ts'

/** Where a command runs, and what it is given besides its words. */
export interface CommandPlace {
  readonly redirects: readonly FoundRedirect[]
  readonly variables: { readonly [name: string]: string }
  /** Where it may run, as paths from the folder in which the line starts: `.`, and where a `cd` before it leads. */
  readonly folders: readonly string[]
  /** It was found behind another program, which is only known by its name (`xargs rm`): it restricts, and allows nothing. */
  readonly isHint?: true
}

/** One program that a line would start. */
export interface FoundCommand extends CommandPlace {
  /** Empty where there are only redirects. */
  readonly words: readonly Word[]
  /** The same as plain texts. */
  readonly texts: readonly string[]
  /** What its name stands for, however it is spelt; empty where there are only redirects. */
  readonly program: string
  readonly described: Described | undefined
}

export interface FoundRedirect {
  readonly path: string
  readonly kind: 'read' | 'write'
}

export function foundCommand(words: readonly Word[], place: CommandPlace): FoundCommand {
  // Not by `map`: once the engine optimises that, arrays change their kind and code that uses them is compiled twice.
  const texts: string[] = []
  for (const { text } of words) texts.push(text)
  return { words, texts, program: programOf(texts[0] ?? ''), described: describeCommand(words), ...place }
}

/** Everything that can be said about a line without running it. */
export interface CommandLine {
  readonly commands: readonly FoundCommand[]
  /** What runs when the line is allowed. Absent where only a shell could run it. */
  readonly plan?: List
  /** Why it needs a shell. */
  readonly why?: string
  /** Set: refused whatever anybody allows, and why. */
  readonly refused?: string
  /** What refused it, short: `dangerous: rm -rf /`. */
  readonly refusedBy?: string
}
