import type { CommandsOfCall } from '@cadre/core'
import { readCommandLine } from './read-command-line.ts'

/** What a command line comes down to, for rules that know commands by their words. */
export function commandsOfCall(source: string): CommandsOfCall {
  const { commands, doubts, refused } = readCommandLine(source)
  const isSure =
    refused === undefined && doubts.length === 0 && commands.every(({ open }) => open === undefined)
  return { list: commands.map(({ words }) => words).filter((words) => words.length > 0), sure: isSure }
}
