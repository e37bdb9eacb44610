import type { ProblemItem } from '@cadre/api'
import type { Problem } from '@cadre/channels'

export function problemItems(problems: readonly Problem[]): ProblemItem[] {
  return problems.map(({ file, line, severity, code, message }) => ({
    file,
    ...(line !== undefined && { line }),
    severity,
    ...(code !== undefined && { code }),
    message,
  }))
}
