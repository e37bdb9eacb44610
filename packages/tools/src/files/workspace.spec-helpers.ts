import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { explainIssues, normaliseInput, type Tool, type ToolContext, type ToolResult } from '@cadre/core'
import { createTools, type ToolOptions } from '../create-tools.ts'

export interface Workspace extends Disposable {
  /** The folder that contains the workspace, and files outside it. */
  readonly outer: string
  readonly root: string
  write(file: string, content: string | Buffer): void
  read(file: string): string
  /** Calls a tool as a session does: by any of its names, with its input adapted and validated. */
  call(name: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>
  check(name: string, input: Record<string, unknown>): Promise<'done' | 'not_done' | 'unknown'>
  tool(name: string): Tool
}

let calls = 0

export function temporaryWorkspace(options: ToolOptions = {}): Workspace {
  const outer = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-tools-')))
  const root = path.join(outer, 'workspace')
  mkdirSync(root)
  const tools = createTools(options)
  const tool = (name: string) => {
    const wanted = name.toLowerCase()
    const found = tools.find((candidate) =>
      [candidate.name, ...(candidate.aliases ?? [])].some((spelling) => spelling.toLowerCase() === wanted),
    )
    if (found === undefined) throw new Error(`no tool ${name}`)
    return found
  }
  const context = (): ToolContext => {
    const call = `call_${++calls}`
    return { session: 's', agent: 'a', call, key: `s/${call}`, workspace: root }
  }
  return {
    outer,
    root,
    tool,
    write(file, content) {
      const target = path.join(root, file)
      mkdirSync(path.dirname(target), { recursive: true })
      writeFileSync(target, content)
    },
    read: (file) => readFileSync(path.join(root, file), 'utf8'),
    async call(name, input, signal = new AbortController().signal) {
      const checked = await checkInput(tool(name), name, input)
      return 'fault' in checked
        ? { failed: true, content: checked.fault }
        : tool(name).run(checked.input, context(), signal)
    },
    async check(name, input) {
      const checked = await checkInput(tool(name), name, input)
      if ('fault' in checked) throw new Error(checked.fault)
      return tool(name).check?.(checked.input, context(), new AbortController().signal) ?? 'unknown'
    },
    [Symbol.dispose]: () => rmSync(outer, { recursive: true, force: true }),
  }
}

async function checkInput(
  tool: Tool,
  spelling: string,
  given: Record<string, unknown>,
): Promise<{ input: unknown } | { fault: string }> {
  let input: unknown
  try {
    input = normaliseInput(tool, spelling, given)
  } catch (error) {
    return { fault: (error as Error).message }
  }
  const result = await tool.input['~standard'].validate(input)
  return result.issues === undefined ? { input: result.value } : { fault: explainIssues(result.issues) }
}
