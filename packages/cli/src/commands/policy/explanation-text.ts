import { describeRequirement } from '@cadre/home'
import type { Explanation } from '@cadre/runtime'
import { cleanLine, cleanText } from '../../output/clean-text.ts'
import type { Style } from '../../output/style.ts'

/** Formats a decision for a person: what, by whom and why; then the findings in the call, each with its own decision. */
export function explanationText(explanation: Explanation, style: Style): string {
  const { decision, by, rule, reason, risk, reasons, commands, paths, hooks, input, chain } = explanation
  const { approvals } = explanation
  const rows: (readonly [label: string, lines: readonly string[]])[] = [
    ['by', [rule === by ? by : `${by}, ${cleanLine(rule)}`]],
    ['why', formatReason(reason)],
    ['needs', approvals === undefined ? [] : [cleanLine(describeRequirement(approvals))]],
    ['agent', [cleanLine(chain.join(' › '))]],
    ['risk', risk === undefined ? [] : [risk, ...(reasons ?? []).map(cleanLine)]],
    [
      'commands',
      (commands ?? []).map((found) => partLine(found.decision, quoteWords(found.words), found.reason, style)),
    ],
    [
      'paths',
      distinctLines(
        (paths ?? [])
          .filter((found) => commands === undefined || !isBareWord(found))
          .map(({ path, real, decision: own, reason: because }) =>
            partLine(own, real === undefined || real === path ? path : `${path} → ${real}`, because, style),
          ),
      ),
    ],
    ['input', input === undefined ? [] : [`would be changed to ${cleanLine(JSON.stringify(input))}`]],
    [
      'hooks',
      (hooks ?? []).map(
        (name) => `${cleanLine(name)} ${style.dim('would run in a session, but did not run now')}`,
      ),
    ],
  ]
  const lines = rows.flatMap(([label, [first, ...rest]]) =>
    first === undefined
      ? []
      : [`${label.padEnd(width)}${first}`, ...rest.map((line) => ' '.repeat(width) + line)],
  )
  return `${style.bold(colourDecision(decision, style))}\n${lines.map((line) => `  ${line}\n`).join('')}`
}

const width = 10

/** Several rules may report the same about one path. */
function distinctLines(lines: readonly string[]): string[] {
  return [...new Set(lines)]
}

/** Every word of a command could be a file: for `git push`, the file `push` is not worth showing. */
function isBareWord({ path, decision }: NonNullable<Explanation['paths']>[number]): boolean {
  return decision === 'allow' && /^\w+$/.test(path)
}

function formatReason(reason: string): string[] {
  return cleanText(reason).trim().split('\n')
}

function partLine(
  decision: Explanation['decision'],
  what: string,
  reason: string | undefined,
  style: Style,
): string {
  const why = reason === undefined || reason === '' ? '' : `  ${style.dim(cleanLine(reason))}`
  const gap = ' '.repeat('allow'.length - decision.length)
  return `${colourDecision(decision, style)}${gap}  ${cleanLine(what)}${why}`
}

/** Quotes words with spaces or shell characters. */
function quoteWords(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
}

function colourDecision(decision: Explanation['decision'], style: Style): string {
  return { allow: style.green, ask: style.yellow, deny: style.red }[decision](decision)
}
