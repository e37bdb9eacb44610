import type { ExportedRun } from '@cadre/api'

/** Reads the run in this file, or returns the reason why it cannot be shown. */
export function readExported(text: string | null | undefined): ExportedRun | string {
  if (text === null || text === undefined || text === '')
    return 'This file does not contain a run. Export the run again.'
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'The data in this file is damaged, for example because the file was cut off. Export the run again.'
  }
  const run = value as Partial<ExportedRun> | null
  if (typeof run !== 'object' || run === null || run.format !== 1 || !Array.isArray(run.sessions))
    return 'The data in this file has an unknown format. Export the run again.'
  return run as ExportedRun
}
