import type { FoundCommand } from './command-line.ts'
import { programOf } from './program-name.ts'
import { networkPrograms } from './programs/known-programs.ts'
import { startedBy } from './started-by.ts'

/** What a command prints to the next one in its pipeline. */
export interface PipedInput {
  /** The program that prints it. */
  readonly from: string
  /** Empty if the line does not show it. */
  readonly text: string
  readonly isDownloaded: boolean
}

export function inputFrom({ texts, input }: FoundCommand): PipedInput {
  const [name = '', ...args] = startedBy(texts).started
  const program = programOf(name)
  if (input !== undefined && printsInput(program, input)) return input
  const isDownloaded = input?.isDownloaded === true || networkPrograms.has(program)
  return { from: program, text: textFrom(program, args), isDownloaded }
}

/** What `find` prints is often filtered because only a few of the files are meant. */
function printsInput(program: string, { from }: PipedInput): boolean {
  return (
    /^(?:cat|tee)$/.test(program) ||
    (from !== 'find' && /^(?:grep|head|sed|sort|tail|tr|uniq)$/.test(program))
  )
}

/** Of `find`, only the folders in which it starts. */
function textFrom(program: string, args: readonly string[]): string {
  if (program === 'find') {
    const start = args.findIndex((word) => !/^-[HLP]+$/.test(word))
    const end = args.findIndex((word, at) => at >= start && /^[-(!]/.test(word))
    return args.slice(Math.max(start, 0), end < 0 ? undefined : end).join('\n')
  }
  if (program !== 'echo' && program !== 'printf') return ''
  const printed = program === 'echo' ? args.filter((word) => !/^-[neE]+$/.test(word)) : args
  return printed.join(' ').replace(/\\[n0]/g, '\n')
}
