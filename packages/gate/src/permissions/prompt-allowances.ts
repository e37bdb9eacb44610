import { createHash } from 'node:crypto'
import type { TrustItem } from '@cadre/home'
import type { PromptFile } from '@cadre/knowledge'
import { allowsMore } from './allows-more.ts'
import { type ClaudeRule, readRule } from './claude-rule.ts'

/** What the `allowed-tools` of a prompt file allow without approval. Omits names that would allow nothing. */
export function promptAllowances({ allowed = [], file, level }: PromptFile): readonly ClaudeRule[] {
  return allowed.flatMap((text) => {
    const rule = readRule(text, 'allow', file, level)
    return rule !== undefined && allowsMore(rule) ? [rule] : []
  })
}

/** The trust item for a prompt file of the project that allows anything. Undefined if it allows nothing, or is the user's own. */
export function trustItemOfPromptFile(prompt: PromptFile): TrustItem | undefined {
  const rules = promptAllowances(prompt)
  if (prompt.level === 'user' || rules.length === 0) return undefined
  return {
    path: `${prompt.file}#allowed-tools`,
    sha256: createHash('sha256')
      .update(JSON.stringify(rules.map(({ text }) => text)))
      .digest('hex'),
  }
}
