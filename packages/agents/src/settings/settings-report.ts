import type { Diagnostic } from '@cadre/disk'

/** A place in the settings: the path of keys, and the line of the file. */
export interface SettingsLocation {
  readonly path: string
  readonly line: number
}

/** A diagnostic of settings, with the parts that a page needs to show it at its field. */
export interface SettingsDiagnostic extends Diagnostic {
  /** The path of keys. The message starts with it. */
  readonly at?: string
  /** What is wrong, without the path and the consequence. */
  readonly fault?: string
  /** The value is an empty text. */
  readonly isEmpty?: true
}

export interface SettingsFault {
  /** Continues a sentence that starts with the path of keys: `is empty`. */
  readonly fault: string
  /** The value to show in the message. */
  readonly value?: unknown
  /** What Cadre does about it: `Cadre ignores the agent`. */
  readonly effect?: string
  readonly fix?: string
}

/** Collects what is wrong with one settings file. */
export interface SettingsReport {
  readonly file: string
  readonly diagnostics: SettingsDiagnostic[]
  /** Cadre ignores a part of the settings because of it. */
  error(place: SettingsLocation, code: string, fault: SettingsFault): void
  /** The settings are used, but possibly not as intended. */
  warning(place: SettingsLocation, code: string, fault: SettingsFault): void
}

export function createReport(file: string): SettingsReport {
  const diagnostics: SettingsDiagnostic[] = []
  const tell =
    (severity: Diagnostic['severity']) =>
    ({ path: at, line }: SettingsLocation, code: string, { fault, value, effect, fix }: SettingsFault) => {
      const isEmpty = value === ''
      const name = value === undefined || isEmpty ? at : `${at} (${describeValue(value)})`
      diagnostics.push({
        path: file,
        line,
        severity,
        code,
        message: `${name} ${fault}.${effect === undefined ? '' : ` ${effect}.`}`,
        ...(fix !== undefined && { fix }),
        at,
        fault: value === undefined || isEmpty ? `${fault}.` : `${describeValue(value)} ${fault}.`,
        ...(isEmpty && { isEmpty }),
      })
    }
  return { file, diagnostics, error: tell('error'), warning: tell('warning') }
}

/** A value for a message, shortened if needed. */
export function describeValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
