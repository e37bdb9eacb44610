import type { Diagnostic } from '@cadre/disk'

/** Every way in which a file can be understood although it is not written as it should be; at the end, what only looks wrong. */
const rescues = {
  'header-late': {
    message: 'There is something before the header, so other programs do not see the header.',
    fix: 'Begin the file with --- on a line of its own.',
  },
  'header-fenced': {
    message: 'The file is wrapped in a code block, so other programs do not see the header.',
    fix: 'Remove the lines of backticks or tildes around it.',
  },
  'header-unopened': {
    message: 'The line of dashes before the header is missing.',
    fix: 'Begin the file with --- on a line of its own.',
  },
  'header-opening': {
    message: 'The line that opens the header is not just three dashes.',
    fix: 'Write --- on a line of its own, once.',
  },
  'header-unclosed': {
    message: 'The header is not closed.',
    fix: 'Put --- on a line of its own behind its last key.',
  },
  'header-indented': { message: 'The header is indented.', fix: 'Move it to the left margin.' },
  'line-ends': {
    message:
      'Lines end with a carriage return alone, which other programs do not take for the end of a line.',
    fix: 'Save the file with line ends of Unix or Windows.',
  },
  'yaml-documents': {
    message: 'The file holds several documents, and only the first one is read.',
    fix: 'Write every agent into a file of its own.',
  },
  'value-unquoted': {
    message:
      'A value holds signs that mean something else in YAML, such as ": " or a star at its beginning; it was read as text.',
    fix: 'Put the value in quotes.',
  },
  'value-not-indented': {
    message: 'A value goes on at the left margin; it was read as one text.',
    fix: 'Indent its lines, or put it behind |.',
  },
  'quotes-unbalanced': {
    message: 'The quotes around a value do not match; it was read as text.',
    fix: 'Close the quotes, and double those within the value.',
  },
  'value-not-text': {
    message: 'A text is written as a list or a mapping; it was read as text.',
    fix: 'Put the value in quotes.',
  },
  'tab-indent': { message: 'A line is indented with a tab.', fix: 'Indent with spaces.' },
  'star-unquoted': {
    message: 'A star alone is no value in YAML; it was read as all.',
    fix: "Write '*' in quotes.",
  },
  'value-unreadable': {
    message: 'A value cannot be read as YAML, so it permits nothing.',
    fix: 'Correct it: check brackets, quotes and commas.',
  },
  'key-indented': { message: 'A key is indented.', fix: 'Move it to the left margin.' },
  'key-unspaced': { message: 'Behind a key a space is missing.', fix: 'Put a space behind the colon.' },
  'stray-text': {
    message: 'This line belongs to no key; it was left out.',
    fix: 'Remove it, or put # before it.',
  },
  'yaml-duplicate-key': {
    message: 'A key is there twice, and the first one holds.',
    fix: 'Remove one of them.',
  },
  'value-cut': {
    message: 'In YAML a value ends before " #", and the rest of the line is a comment.',
    fix: 'If it belongs to the value, put the value in quotes.',
  },
  'smart-quotes': {
    message: 'These quotes are a part of the value: YAML knows only " and \'.',
    fix: 'Write straight quotes.',
  },
} as const satisfies { readonly [code: string]: { readonly message: string; readonly fix: string } }

export type RescueCode = keyof typeof rescues

export interface Rescue {
  readonly code: RescueCode
  readonly line: number
}

export function noteOf({ code, line }: Rescue, path: string): Diagnostic {
  return { path, line, severity: 'warning', code, ...rescues[code] }
}
