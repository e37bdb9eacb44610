import path from 'node:path'
import type { JudgedCall } from '@cadre/core'

/** Describes a call for the commit of its changes. A call that names its files covers only these. */
export function commitReasonOf(
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

/** A tool that fails to report its files must not prevent the commit. */
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
