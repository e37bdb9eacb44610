import { CadreError } from '@cadre/core'
import type { PromptFile } from './find-prompt-files.ts'

export interface ExpandOptions {
  /** The text that a person typed after the name. */
  readonly args: string
  readonly workspace: string
  /** Reads a file that the prompt refers to, if the gate allows it for the agent. */
  readonly read: (path: string) => Promise<string>
  /** Runs a command of the prompt, if the gate allows it for the agent. Resolves with its output, or why it did not run. */
  readonly run: (command: string) => Promise<string>
}

/** A reference in a prompt: `!`…`` is run, `@…` and `#file:…` are read. References in arguments are plain text. */
const command = /!`([^`\n]+)`/
const reference = /(?<=^|\s)@((?:[\w.~/-]|\\ )*[\w/])|#file:([\w./-]*[\w/])/

/** Returns the message of a prompt file. Rejects with a `CadreError` if an input is missing. */
export async function expandPrompt(prompt: PromptFile, options: ExpandOptions): Promise<string> {
  const fill = createFiller(prompt, options)
  const pattern = new RegExp(`${command.source}|${reference.source}`, 'gm')
  const files: string[] = []
  let text = ''
  let end = 0
  for (const found of prompt.body.matchAll(pattern)) {
    const [whole, line, at, hash] = found
    text += fill(prompt.body.slice(end, found.index))
    end = found.index + whole.length
    if (line !== undefined) {
      text += prompt.dialect === 'claude' ? await options.run(fill(line)) : whole
      continue
    }
    const file = fill((at ?? hash ?? '').replaceAll('\\ ', ' '))
    text += whole
    // A name after an @ need not be a file.
    const content = await options.read(file).catch(() => undefined)
    if (content !== undefined) files.push(`<file path="${file.replaceAll('"', "'")}">\n${content}\n</file>`)
  }
  text += fill(prompt.body.slice(end))
  const { args } = options
  const isUsed = /\$(?:ARGUMENTS|\d)|\$\{input:/.test(prompt.body)
  const rest = args === '' || isUsed ? [] : [prompt.dialect === 'claude' ? `ARGUMENTS: ${args}` : args]
  return [text, ...rest, ...files].join('\n\n')
}

function createFiller(prompt: PromptFile, { args, workspace }: ExpandOptions): (text: string) => string {
  const words = wordsOf(args)
  if (prompt.dialect === 'claude')
    return (text) =>
      text.replace(/\$ARGUMENTS(?:\[(\d+)\])?|\$(\d+)/g, (_, index?: string, number?: string) => {
        if (index !== undefined) return words[Number(index)] ?? ''
        return number === undefined ? args : (words[Number(number) - 1] ?? '')
      })
  const inputs = inputsOf(prompt, args)
  return (text) =>
    text.replace(/\$\{(input:([\w-]+)(?::[^}]*)?|workspaceFolder)\}/g, (_, what: string, name: string) =>
      what === 'workspaceFolder' ? workspace : (inputs.get(name) ?? ''),
    )
}

/** `name=value` sets an input; the remaining words go to the other inputs in order, and the last one gets the rest. */
function inputsOf({ name, body }: PromptFile, args: string): ReadonlyMap<string, string> {
  const wanted = [...new Set([...body.matchAll(/\$\{input:([\w-]+)/g)].map((found) => found[1] as string))]
  const inputs = new Map<string, string>()
  const plain = wordsOf(args).filter((word) => {
    const [, key = '', value = ''] = /^([\w-]+)=(.*)$/s.exec(word) ?? []
    if (!wanted.includes(key)) return true
    inputs.set(key, value)
    return false
  })
  const open = wanted.filter((input) => !inputs.has(input))
  for (const [at, input] of open.entries()) {
    const value = at === open.length - 1 ? plain.slice(at).join(' ') : (plain[at] ?? '')
    if (value === '')
      throw new CadreError('usage', `/${name} needs a value for ${input}. Write /${name} ${input}=VALUE.`)
    inputs.set(input, value)
  }
  return inputs
}

function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S*=)"([^"]*)"|\S+/g)].map(
    ([whole, double, single, key, value]) =>
      double ?? single ?? (key === undefined ? whole : `${key}${value}`),
  )
}
