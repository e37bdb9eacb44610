import type { Finding } from '../lint-result.ts'
import { type LintKnowledge, type LintSubject, lineOfKey } from '../subject.ts'

/** Forms of model names in agent files: an alias, a name with a vendor prefix, `Name (vendor)`, `provider/name`. */
const forms: readonly RegExp[] = [
  /^(?:inherit|auto|default|sonnet|opus|haiku|fable|opusplan|fast|best)(?:\[1m\])?$/i,
  /^(?:claude|gpt|o[1-9]|gemini|grok|codex|llama|mistral|codestral|devstral|deepseek|qwen|kimi|glm|phi|raptor|mai|minimax|nova|command|gemma|swe)[\s./-]?[\w.: /@+-]*(?: \([\w .-]+\))*$/i,
  /^[^()|,'"]+ \([a-z][\w .-]*\)$/i,
  /^[\w.-]+(?:\/[\w.@:+-]+)+$/,
  /^[a-z][a-z-]*:.+$/i,
]

/** Checks that a model exists: in the catalogue if there is one, otherwise by the form of its name. */
export async function modelNames(subject: LintSubject, { model }: LintKnowledge): Promise<Finding[]> {
  const names = new Set([
    ...(subject.read.agent?.models ?? []),
    ...(subject.read.agent?.handoffs ?? []).flatMap((handoff) => handoff.model ?? []),
  ])
  const findings: Finding[] = []
  for (const name of names) {
    if (/^(?:inherit|auto|default)$/i.test(name)) continue
    const line = lineOfKey(subject, 'model', 'models', 'handoffs')
    const told = await model?.(name)
    if (told?.kind === 'known') continue
    const quoted = JSON.stringify(name.slice(0, 80))
    if (/[|'"]/.test(name)) {
      findings.push({
        severity: 'warning',
        code: 'model-unclear',
        line,
        message: `${quoted} is not a single model name.`,
        fix: 'Write one name, or a list: [first, second].',
      })
    } else if (told?.kind === 'unknown') {
      const near = told.nearest.length === 0 ? '' : ` Similar names: ${told.nearest.join(', ')}.`
      findings.push({
        severity: 'warning',
        code: 'model-unknown',
        line,
        message: `The configured backend has no model ${quoted}, so the agent runs on the default model, unless a policy forbids it.${near}`,
        fix: 'Use one of its models, or map the name to one under "aliases" in config.yaml.',
      })
    } else if (!forms.some((form) => form.test(name))) {
      findings.push({
        severity: 'info',
        code: 'model-unknown',
        line,
        message: `${quoted} does not look like a model name, and no backend is configured to check it.`,
      })
    }
  }
  return findings
}
