import type { SettingsProblem } from './check-settings.ts'

/** Identifies problems, so that a notification is shown once for the same ones. */
export function digestOf(problems: readonly SettingsProblem[]): string {
  return problems.map(({ level, message }) => `${level} ${message}`).join('\n')
}
