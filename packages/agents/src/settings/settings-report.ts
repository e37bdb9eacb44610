import type { Diagnostic } from '@cadre/disk'

/** A place in the settings: the path of keys, and the line of the file. */
export interface SettingsPlace {
  readonly path: string
  readonly line: number
}

/** Collects what is wrong with one settings file. Every message begins with the path of keys. */
export interface SettingsReport {
  readonly file: string
  readonly diagnostics: Diagnostic[]
  /** Something that is left out because of it. */
  error(place: SettingsPlace, code: string, sentence: string, fix?: string): void
  /** Something that holds in another way than it is written, or should be written in another way. */
  warning(place: SettingsPlace, code: string, sentence: string, fix?: string): void
}

export function createReport(file: string): SettingsReport {
  const diagnostics: Diagnostic[] = []
  const tell =
    (severity: Diagnostic['severity']) =>
    ({ path, line }: SettingsPlace, code: string, sentence: string, fix?: string) => {
      const message = `${path} ${sentence}`
      diagnostics.push({ path: file, line, severity, code, message, ...(fix !== undefined && { fix }) })
    }
  return { file, diagnostics, error: tell('error'), warning: tell('warning') }
}

/** A value as a message shows it: whole when it is short. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
