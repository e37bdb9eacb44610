import path from 'node:path'
import type { JudgedCall } from '@cadre/core'

/** What a call is about, for the commit of what it has changed. A call that names its files is about these alone. */
export function occasionOf(
  { call, tool, input }: JudgedCall,
  workspace: string,
): { readonly subject: string; readonly call: string; readonly paths?: readonly string[] } {
  const paths = tool.effect === 'write' ? namesIn(tool, input) : []
  const target = paths.length > 0 ? paths.join(', ') : commandIn(tool, input)
  return {
    subject: target === '' ? tool.name : `${tool.name} ${target}`,
    call: call.id,
    ...(paths.length > 0 && { paths: paths.map((name) => path.resolve(workspace, name)) }),
  }
}

/** What a tool says about its arguments is not what the commit hangs on. */
function namesIn(tool: JudgedCall['tool'], input: unknown): readonly string[] {
  try {
    return tool.paths?.(input) ?? []
  } catch {
    return []
  }
}

function commandIn(tool: JudgedCall['tool'], input: unknown): string {
  try {
    return tool.commands?.(input).list[0]?.join(' ') ?? ''
  } catch {
    return ''
  }
}
