import { plainKey } from '../header/known-keys.ts'

/** Keys that a header has for an agent, and hardly for anything else that has a description. */
const telling: ReadonlySet<string> = new Set([
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

/** Whether the beginning of a Markdown file is the header of an agent, be it in a fence or without its first dashes. */
export function looksLikeAgent(head: string): boolean {
  const keys = topKeys(head)
  if (!keys.has('description') || keys.has('applyto')) return false
  // Pages of documentation have a mode and a description too.
  if (/^(?:subagent|primary|all)$/.test(keys.get('mode') ?? '')) return true
  return [...keys.keys()].some((key) => telling.has(key))
}

/** Whether a file is what was said to an agent, and not what defines one: homes keep such logs under the names of agents. */
export function looksLikeChatLog(head: string): boolean {
  return /^\ufeff?\s*# Agent:/i.test(head) && /^## (?:System Prompt|Conversation)[ \t]*\r?$/im.test(head)
}

/** Whether the beginning of a YAML file is that of an agent: folders called templates hold many other things. */
export function looksLikeTemplate(head: string): boolean {
  return /^\s*["']?(?:system_?prompt|agent_id)["']?\s*:|^kind: *Agent\s*$/im.test(head)
}

/** The keys at the beginning of lines, with what stands behind them, up to the end of the header. */
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
    // Prose where the keys should be: there is no header.
    else if (keys.size === 0 && line.trim() !== '' && !line.startsWith('#')) break
  }
  return keys
}
