import type { Diagnostic } from '@cadre/disk'

/** Every way to read a malformed file; the last ones are only suspicious. */
const rescues = {
  'header-late': {
    message: 'The file has text before the header, so other programs do not find the header.',
    fix: 'Start the file with --- on its own line.',
  },
  'header-fenced': {
    message: 'The file is wrapped in a code block, so other programs do not find the header.',
    fix: 'Remove the lines of backticks or tildes around the text.',
  },
  'header-unopened': {
    message: 'The header does not start with a line of dashes.',
    fix: 'Start the file with --- on its own line.',
  },
  'header-opening': {
    message: 'The first line of the header must be exactly three dashes.',
    fix: 'Write --- once, on its own line.',
  },
  'header-unclosed': {
    message: 'The header is not closed.',
    fix: 'Add --- on its own line after the last key.',
  },
  'header-indented': { message: 'The header is indented.', fix: 'Move it to the left margin.' },
  'line-ends': {
    message: 'Lines end with a carriage return only. Other programs do not accept this as a line ending.',
    fix: 'Save the file with Unix or Windows line endings.',
  },
  'yaml-documents': {
    message: 'The file contains several YAML documents. Cadre reads only the first one.',
    fix: 'Write each agent to a separate file.',
  },
  'value-unquoted': {
    message:
      'This value contains characters with a special meaning in YAML, such as ": " or a leading *. Cadre reads it as text.',
    fix: 'Put the value in quotes.',
  },
  'value-not-indented': {
    message: 'This value continues at the left margin. Cadre reads all of it as one string.',
    fix: 'Indent its lines, or start the value with |.',
  },
  'quotes-unbalanced': {
    message: 'The quotes around this value do not match. Cadre reads it as text.',
    fix: 'Close the quotes, and double the quotes inside the value.',
  },
  'value-not-text': {
    message: 'This value looks like a list or a mapping. Cadre reads it as text.',
    fix: 'Put the value in quotes.',
  },
  'tab-indent': { message: 'This line is indented with a tab.', fix: 'Indent with spaces.' },
  'star-unquoted': {
    message: 'A single * is not valid YAML. Cadre reads it as "all".',
    fix: "Put it in quotes: '*'.",
  },
  'value-unreadable': {
    message: 'This value is not valid YAML. Cadre ignores it, so it grants nothing.',
    fix: 'Check brackets, quotes and commas.',
  },
  'key-indented': { message: 'This key is indented.', fix: 'Move it to the left margin.' },
  'key-unspaced': {
    message: 'The colon after this key is not followed by a space.',
    fix: 'Add a space after the colon.',
  },
  'stray-text': {
    message: 'This line is not part of any key. Cadre ignores it.',
    fix: 'Remove it, or comment it out with #.',
  },
  'yaml-duplicate-key': {
    message: 'This key is defined twice. Cadre uses the first one.',
    fix: 'Remove one of them.',
  },
  'value-cut': {
    message: 'YAML reads the text after " #" as a comment.',
    fix: 'If it is part of the value, put the value in quotes.',
  },
  'smart-quotes': {
    message: 'These quotes are part of the value, because YAML supports only " and \'.',
    fix: 'Use straight quotes.',
  },
} as const satisfies { readonly [code: string]: { readonly message: string; readonly fix: string } }

export type HeaderRepairCode = keyof typeof rescues

export interface HeaderRepair {
  readonly code: HeaderRepairCode
  readonly line: number
}

export function describeHeaderRepair({ code, line }: HeaderRepair, path: string): Diagnostic {
  return { path, line, severity: 'warning', code, ...rescues[code] }
}
