/** The limits of settings. The editor checks the same limits. */
export const settingsLimits = {
  agents: 20,
  name: 50,
  prompt: 30_000,
  shortPrompt: 10,
  text: 500,
  longText: 200,
  toolName: 100,
  delegations: 100,
} as const

const namePattern = /^[A-Za-z0-9_-]+$/

/** Returns why a name is not allowed in settings, as the rest of a sentence; `undefined` if it is. */
export function faultInSettingsName(name: string): string | undefined {
  if (name === '') return 'is empty'
  if (name.length > settingsLimits.name) return `is longer than ${settingsLimits.name} characters`
  if (!namePattern.test(name)) return 'may contain only the letters A to Z, digits, - and _'
  return undefined
}

/** The same for a tool name in a list. */
export function faultInToolName(name: string): string | undefined {
  if (name.trim() === '') return 'is empty'
  if (lengthOf(name) > settingsLimits.toolName) return `is longer than ${settingsLimits.toolName} characters`
  if (name.trim() === '*') return 'means every tool and is not allowed in a list (write {"type": "all"})'
  if (!/^[^,()]+(\(.*\))?$/s.test(name.trim())) return 'is not a single tool name'
  return undefined
}

/** Counted in visible characters. */
export function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}
