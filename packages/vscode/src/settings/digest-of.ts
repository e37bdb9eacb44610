import type { SettingsProblem } from './check-settings.ts'

/** The same problems as a text: a notification is shown once for each. */
export function digestOf(problems: readonly SettingsProblem[]): string {
  return problems.map(({ level, message }) => `${level} ${message}`).join('\n')
}
