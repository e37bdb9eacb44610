import type { Tool, ToolResult } from '@cadre/core'

/**
 * Calls that a program carries out itself, after Cadre's gate has judged them. The loop settles such a call like any other,
 * but running it only tells the program that it may continue.
 *
 * 1. A call is known here only in the process that the program asked. After a restart, Cadre carries out an approved call
 *    itself, because the program is gone.
 * 2. A call is allowed only with the arguments that the program gave: a hook can change those of Cadre, but not what the
 *    program does.
 */
export class ProgramCalls {
  readonly #expected = new Map<string, { readonly title: string; readonly input: object; allowed: boolean }>()

  /** `key`: `SESSION/CALL`, as in `ToolContext.key`. */
  expect(key: string, title: string, input: object): void {
    this.#expected.set(key, { title, input, allowed: false })
  }

  /** Whether the gate allowed it. Forgets it. */
  take(key: string): boolean {
    const allowed = this.#expected.get(key)?.allowed === true
    this.#expected.delete(key)
    return allowed
  }

  /** The tool, without an effect for the calls of programs. */
  guard(tool: Tool): Tool {
    if (!programCallTools.includes(tool.name)) return tool
    const run: Tool['run'] = (input, context, signal) =>
      this.#allow(context.key, input) ?? tool.run(input, context, signal)
    return { ...tool, run }
  }

  #allow(key: string, input: unknown): Promise<ToolResult> | undefined {
    const expected = this.#expected.get(key)
    if (expected === undefined) return undefined
    const { title } = expected
    if (!isSame(expected.input, input)) {
      const content = `Denied: a hook changed the arguments of this call, and ${title} can run the call only with the original arguments.`
      return Promise.resolve({ content, failed: true })
    }
    expected.allowed = true
    return Promise.resolve({ content: `Allowed. ${title} runs this call itself.` })
  }
}

/** The tools whose calls a program can carry out itself. */
const programCallTools = ['execute_command', 'write_file', 'edit_file', 'read_file', 'web_fetch']

/** Compares the fields that are set. */
function isSame(given: object, judged: unknown): boolean {
  if (typeof judged !== 'object' || judged === null) return false
  const entries = Object.entries(judged).filter(([, value]) => value !== undefined)
  return (
    entries.every(([key, value]) => JSON.stringify(value) === JSON.stringify((given as never)[key])) &&
    entries.length === Object.keys(given).length
  )
}
