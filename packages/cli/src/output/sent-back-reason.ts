import { cleanLine } from './clean-text.ts'

/** Sections are missing, or a hook requires more work. */
export function isSentBack({ nudge }: { readonly nudge?: string | undefined }): boolean {
  return nudge === 'sections' || nudge === 'schema' || nudge === 'stop'
}

/** Why a report was sent back to its agent, in a few words. */
export function sentBackReason(said: string): string {
  const text = said.slice(0, 2000)
  const [, missing] = /^The report lacks these sections: (.*?)\. Give it again/s.exec(text) ?? []
  return cleanLine(missing === undefined ? text : `lacks ${missing}`)
}
