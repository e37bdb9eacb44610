import type { CommandsOfCall } from '@cadre/core'
import { understandLine } from './understand-line.ts'

/** What a command line comes down to, for rules that know commands by their words. */
export function commandsOfCall(source: string): CommandsOfCall {
  const { commands, plan, refused } = understandLine(source)
  return {
    list: commands.map(({ texts }) => texts).filter((texts) => texts.length > 0),
    sure: plan !== undefined && refused === undefined,
  }
}
