import type { RuleName } from '@cadre/core'
import type { List, Word } from './line/line.ts'
import type { PipedInput } from './piped-input.ts'
import { programOf } from './program-name.ts'
import { type DescribedCommand, describeCommand } from './programs/describe-command.ts'

/** Where a command runs, and its input besides its words. */
export interface CommandPlace {
  readonly redirects: readonly FoundRedirect[]
  readonly variables: { readonly [name: string]: string }
  /** The folders it may run in, relative to the folder of the line: `.`, and the targets of earlier `cd` commands. */
  readonly folders: readonly string[]
  /** Absent at the start of a pipeline. */
  readonly input?: PipedInput
  /** Found among the arguments of another program (`xargs rm`): it can restrict the line, but allows nothing. */
  readonly isHint?: true
}

/** One program that a line would start. */
export interface FoundCommand extends CommandPlace {
  /** Empty if there are only redirects. */
  readonly words: readonly Word[]
  /** The words as text. */
  readonly texts: readonly string[]
  /** The normalized name of the program; empty if there are only redirects. */
  readonly program: string
  readonly described: DescribedCommand | undefined
}

export interface FoundRedirect {
  readonly path: string
  readonly kind: 'read' | 'write'
}

export function foundCommand(words: readonly Word[], place: CommandPlace): FoundCommand {
  // Not `map`: once V8 optimizes it, arrays change their kind and the code that uses them is compiled twice.
  const texts: string[] = []
  for (const { text } of words) texts.push(text)
  return { words, texts, program: programOf(texts[0] ?? ''), described: describeCommand(words), ...place }
}

/** Everything that is known about a line without running it. */
export interface CommandLine {
  readonly commands: readonly FoundCommand[]
  /** What runs if the line is allowed. Absent if only a shell can run it. */
  readonly plan?: List
  /** Why it needs a shell. */
  readonly why?: string
  /** Why no rule can allow the line. Absent if one can. */
  readonly refused?: { readonly rule: RuleName; readonly reason: string }
}
