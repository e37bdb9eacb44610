import type { AgentDefinition } from '@cadre/core'
import { readAgentText } from '../../load/read-agent-text.ts'
import type { ParsedAgent } from '../../load/read-definition.ts'
import { readWrittenHeader, type WrittenKey } from '../written-header.ts'
import { findDifference } from './have-same-permissions.ts'

export type Fix =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'fixed'; readonly text: string }
  /** The fixed file would define a different agent. */
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Returns the corrected file: rescued parts fixed, old spellings replaced, everything else unchanged. The result is read
 * again, and returned only if it is the same agent with the same permissions.
 */
export function fixAgentText({ path, text }: { readonly path: string; readonly text: string }): Fix {
  const before = readAgentText({ path, text })
  if (before.agent === undefined) return { kind: 'nothing' }
  const fixed = renameKeys(path, repairText(text, before))
  if (fixed === text) return { kind: 'nothing' }
  const after = readAgentText({ path, text: fixed })
  const fault = faultOf(before.agent, after.agent)
  if (fault !== undefined) return { kind: 'refused', reason: fault }
  // Fixing it again must change nothing.
  if (after.rescued || renameKeys(path, repairText(fixed, after)) !== fixed)
    return { kind: 'refused', reason: 'the fixed file would still have problems' }
  return { kind: 'fixed', text: fixed }
}

/** Without a byte order mark, and repaired if the repair is known. */
function repairText(text: string, { repaired }: ParsedAgent): string {
  return (repaired ?? text).replace(/^\ufeff+/, '')
}

function faultOf(before: AgentDefinition, after: AgentDefinition | undefined): string | undefined {
  if (after === undefined) return 'the fixed file could not be read'
  const power = findDifference(before, after)
  if (power !== undefined) return `the agent's ${power} would change`
  for (const part of ['name', 'description', 'prompt'] as const)
    if (before[part] !== after[part]) return `the agent's ${part} would change`
  return JSON.stringify(before.unknown ?? {}) === JSON.stringify(after.unknown ?? {})
    ? undefined
    : 'keys that Cadre does not use would change'
}

/** Renames old keys that are on their own line; others are unchanged. */
function renameKeys(path: string, text: string): string {
  const header = readWrittenHeader({ path, text })
  let fixed = text
  const invokable = header.get('userinvokable')
  if (invokable !== undefined && !header.has('userinvocable'))
    fixed = onLine(fixed, invokable, /^(["']?)user-invokable\1(\s*:)/, '$1user-invocable$1$2')
  const infer = header.get('infer')
  if (infer?.value === false && !header.has('disablemodelinvocation'))
    fixed = onLine(
      fixed,
      infer,
      /^(["']?)infer\1(\s*:\s*)false(?=\s|$)/i,
      '$1disable-model-invocation$1$2true',
    )
  return fixed
}

function onLine(text: string, { line }: WrittenKey, pattern: RegExp, by: string): string {
  let start = 0
  for (let at = 1; at < line; at++) {
    const stop = text.indexOf('\n', start)
    if (stop === -1) return text
    start = stop + 1
  }
  const stop = text.indexOf('\n', start)
  const end = stop === -1 ? text.length : stop
  return text.slice(0, start) + text.slice(start, end).replace(pattern, by) + text.slice(end)
}
