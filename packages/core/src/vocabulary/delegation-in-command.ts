import { interpretToolName } from './vocabulary.ts'

/** A delegation that was written as a command line, as the arguments of `delegate_task`. */
export interface DelegationInCommand {
  readonly subagent_type: string
  readonly prompt: string
  readonly description: string
}

const opening = /^\s*delegate\s+(?=--(?:type|prompt)(?:[\s=]|$))/
const typeOption = /(?:^|\s)--type(?:\s+|=)(?:"([^"]*)"|'([^']*)'|(\S+))/
const promptOption = /(?:^|\s)--prompt(?:\s+|=|$)/

/**
 * Reads a delegation from a terminal call: `delegate --type X --prompt "..."`. Some servers only pass on calls of tools that they know.
 * Such a line never runs as a command. Returns `undefined` for every other call.
 */
export function delegationInCommand(tool: string, input: unknown): DelegationInCommand | undefined {
  const meaning = interpretToolName(tool)
  if (meaning.kind !== 'tools' || !meaning.names.includes('execute_command')) return undefined
  const given = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>
  const command = given['command'] ?? given['cmd'] ?? given['script']
  if (typeof command !== 'string' || !opening.test(command)) return undefined
  const line = command.replace(opening, '')
  const option = promptOption.exec(line)
  const before = option === null ? line : line.slice(0, option.index)
  const { text, rest } =
    option === null
      ? { text: before.replace(typeOption, ''), rest: '' }
      : readText(line.slice(option.index + option[0].length))
  const [, ...types] = typeOption.exec(before) ?? typeOption.exec(rest) ?? []
  const prompt = text.trim()
  return {
    subagent_type: types.find((type) => type) ?? 'general-purpose',
    prompt,
    description: prompt.slice(0, 50),
  }
}

/**
 * Quoted text ends at the quote that ends the line or is followed by another option; without a quote, the text is the rest of the line.
 */
function readText(line: string): { readonly text: string; readonly rest: string } {
  const quoted = /^\s*(["'])([\s\S]*?)(?<!\\)\1(?=\s*$|\s+--type[\s=])/.exec(line)
  if (quoted === null) return { text: line.trim().replace(/^["']/, ''), rest: '' }
  const [whole, quote, text = ''] = quoted
  return { text: text.replaceAll(`\\${quote}`, quote as string), rest: line.slice(whole.length) }
}
