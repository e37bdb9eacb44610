import type { Finding } from './lint-result.ts'

interface Consequence {
  readonly of: RegExp
  readonly codes: RegExp
  /** Only what is said about the same line follows from it. */
  readonly sameLine: boolean
}

/** What follows from something else that is said about a file, and would only be said again in other words. */
const consequences: readonly Consequence[] = [
  { of: /^header-torn$/, codes: /^(?:header-unclosed|prompt-missing)$/, sameLine: false },
  { of: /^value-unreadable$/, codes: /-unclear$/, sameLine: true },
  { of: /^tools?-unclear$/, codes: /^tools-shape$/, sameLine: true },
  { of: /^wrong-value$/, codes: /^limit-out-of-range$/, sameLine: true },
  { of: /^(?:flag|mode)-unclear$/, codes: /^unreachable$/, sameLine: false },
]

/** One message for one cause: without what follows from others. */
export function withoutConsequences(findings: readonly Finding[]): Finding[] {
  // A parser that has lost its way reports one mistake several times.
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
