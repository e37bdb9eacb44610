import type { Finding } from './lint-result.ts'

interface Consequence {
  readonly of: RegExp
  readonly codes: RegExp
  /** Only findings on the same line follow from it. */
  readonly sameLine: boolean
}

/** Findings that follow from another finding and would only repeat it. */
const consequences: readonly Consequence[] = [
  { of: /^header-torn$/, codes: /^(?:header-unclosed|prompt-missing)$/, sameLine: false },
  { of: /^value-unreadable$/, codes: /-unclear$/, sameLine: true },
  { of: /^tools?-unclear$/, codes: /^tools-shape$/, sameLine: true },
  { of: /^wrong-value$/, codes: /^limit-out-of-range$/, sameLine: true },
  { of: /^(?:flag|mode)-unclear$/, codes: /^unreachable$/, sameLine: false },
]

/** Removes findings that follow from others, so that each cause is reported once. */
export function dropFollowOnFindings(findings: readonly Finding[]): Finding[] {
  // A confused parser reports one error several times.
  const syntax = findings.find(isSyntax)
  return findings.filter(
    (finding) =>
      (finding === syntax || !isSyntax(finding)) && !findings.some((other) => follows(finding, other)),
  )
}

function follows(finding: Finding, from: Finding): boolean {
  return consequences.some(
    ({ of, codes, sameLine }) =>
      of.test(from.code) && codes.test(finding.code) && (!sameLine || from.line === finding.line),
  )
}

function isSyntax({ severity, code }: Finding): boolean {
  return severity === 'error' && code.startsWith('yaml-')
}
