import { plainKey } from '../header/known-keys.ts'

/** Keys that the header of an agent has, and that rarely occur in other files with a description. */
const distinctiveKeys: ReadonlySet<string> = new Set([
  'tools',
  'allowedtools',
  'disallowedtools',
  'model',
  'models',
  'permission',
  'permissionmode',
  'handoffs',
  'agents',
  'subagents',
  'color',
  'userinvocable',
  'userinvokable',
  'disablemodelinvocation',
  'infer',
  'mcpservers',
  'maxturns',
])

/** True if the start of a Markdown file is the header of an agent, even in a code block or without its first dashes. */
export function looksLikeAgent(head: string): boolean {
  const keys = topKeys(head)
  if (!keys.has('description') || keys.has('applyto')) return false
  // Documentation pages also have a mode and a description.
  if (/^(?:subagent|primary|all)$/.test(keys.get('mode') ?? '')) return true
  return [...keys.keys()].some((key) => distinctiveKeys.has(key))
}

/** True if a file is a chat log and not a definition: homes store such logs under the names of agents. */
export function looksLikeChatLog(head: string): boolean {
  return /^\ufeff?\s*# Agent:/i.test(head) && /^## (?:System Prompt|Conversation)[ \t]*\r?$/im.test(head)
}

/** True if the start of a YAML file is that of an agent: template folders contain many other files. */
export function looksLikeTemplate(head: string): boolean {
  return /^\s*["']?(?:system_?prompt|agent_id)["']?\s*:|^kind: *Agent\s*$/im.test(head)
}

/** Returns the keys at the start of lines with their values, up to the end of the header. */
function topKeys(head: string): Map<string, string> {
  const keys = new Map<string, string>()
  const lines = head.replace(/^\ufeff/, '').split(/\r?\n/)
  let at = 0
  if (/^(?:`{3,}|~{3,})/.test(lines[at] ?? '')) at++
  while (lines[at]?.trim() === '') at++
  if (lines[at]?.trimEnd() === '---') at++
  for (const line of lines.slice(at)) {
    if (line.trimEnd() === '---') break
    const match = /^["']?([A-Za-z][\w-]{0,60})["']?\s*:(?:\s+(.*))?$/.exec(line)
    if (match !== null) keys.set(plainKey(match[1] as string), (match[2] ?? '').trim())
    // Prose instead of keys: there is no header.
    else if (keys.size === 0 && line.trim() !== '' && !line.startsWith('#')) break
  }
  return keys
}
