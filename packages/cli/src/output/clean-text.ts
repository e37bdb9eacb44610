import { cleanData } from '@cadre/core'

const plain = /^[\n\x20-\x7e]*$/

/** Multi-line text for a terminal. All output for people is cleaned here first. */
export function cleanText(text: string): string {
  if (plain.test(text)) return text
  return cleanData(text).replaceAll('\t', '    ')
}

/** Cleans text and joins it into one line. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}
