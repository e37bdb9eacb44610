/** Text that breaks careless YAML. The same for the same seed. */
export function hostileStrings(count: number, seed = 1): string[] {
  let state = seed
  const random = (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
  return Array.from({ length: count }, (_, index) => {
    const known = whole[index]
    if (known !== undefined) return known
    // Half of them avoid the characters that force double quotes, to test blocks and single quotes.
    const pieces = index % 2 === 0 ? harmless : [...harmless, ...forcing]
    return Array.from({ length: 1 + random(12) }, () => pieces[random(pieces.length)]).join('')
  })
}

// biome-ignore format: one piece per line would be hard to read.
const harmless = [
  'a', 'b', ' ', ' ', '  ', '\n', '\n', '\n\n', '\t', '-', '#', ' #', ':', ': ', "'", '"', '\\', '|', '>', '0', '1', '.',
  '~', '😀', 'é', '\u00a0', '\u200b', '%', '&', '*', '!', '{', '}', '[', ']', ',', '?', '@', '`', '---', '...', '<<',
  'null', 'true', 'No', '  - seq: 4\n', '    # end 3\n', '\n# end 3', 'messages:\n', 'key: value', 'x\n \n', '\n\t', 'word ',
]

// biome-ignore format: as above.
const forcing = [
  '\r', '\r\n', '\0', '\u0001', '\u001b[31m', '\u007f', '\u0085', '\u2028', '\u2029', '\ufeff', '\ufffe', '\uffff', '\ud800', '\udc00',
]

// biome-ignore format: as above.
const whole = [
  '', ' ', '  ', 'a ', ' a', '\ta', 'a\t', '\n', '\n\n', ' \n', '\n ', 'a\n', 'a\n\n', 'a\n\n\n', '\na', '\n\na\n', ' a\nb',
  '  a\n b\n', '\ta\nb', 'a\n\tb', 'a\n   ', 'a\n   \n', 'a  \nb  \n', 'a\n \nb', 'a\n\n\nb', '   \na', ' \n\n  a\n', '\n\n \n',
  'true', 'True', 'NO', 'yes', 'on', 'Off', 'null', 'Null', '~', 'y', 'N', '123', '0x1f', '0o17', '017', '1e3', '1_000', '.5',
  '.inf', '-.inf', '.NaN', '+1', '-1', '12:30:45', '2026-11-15', '2026-11-15T10:00:00Z', '=', '<<', '-', '- a', '-a', '?', '? a', ':',
  ': a', 'a: b', 'a:', 'a :b', '#', '# c', 'a # c', 'a #c', 'a#c', '&a', '*a', '!a', '!!str a', '%a', '@a', '`a', '|', '>',
  '|-', '---', '...', '--- a', '---\na: b\n...\n', '[a]', '{a}', '{"i":0}', '[', ']', '}', ',', "it's", 'say "hi"', `it's "x"`,
  'back\\slash', "it's back\\slash", "'", '"', "''", '""', "a'\n'b", 'a\rb', 'a\r\nb\r\n', '\r', 'a\tb', '\0', '\u0085', '\u2028',
  '\ufeffa', '\ud800', 'a\udc00b', '\udc00\ud800', 'a\nb\ud83d', '日本語', 'e\u0301\n', 'مرحبا', 'a\\nb', '\\u0000', 'C:\\new\\table',
  'x'.repeat(20_000), 'w '.repeat(9_000), 'code    \n\tindented: # no comment\n'.repeat(300), ' \n'.repeat(2_000), `${'\n'.repeat(3_000)}x`,
  '  - seq: 3\n    timestamp: x\n    # end 3\n', 'text\n    # end 7\n  - seq: 8\n    role: user\n    # end 8\n', '    # end 1',
  '\nmessages:\n', 'content: |\n  x\n', 'a\n# b\n', '# a\n b', '- a\n- b', '\n# x', ' # x\ny', 'trailing space in a block \nb\n',
]
