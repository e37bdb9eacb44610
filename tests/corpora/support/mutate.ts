import type { Random } from './random.ts'

export interface Mutation {
  readonly name: string
  apply(text: string, random: Random, other: string): string
}

export function pickMutation(random: Random): Mutation {
  return random.pick(random.below(30) === 0 ? rareMutations : mutations)
}

/** Damage by typos, by programs that write half a file, or by attackers. */
const mutations: readonly Mutation[] = [
  onLines('cut lines', (lines, at, random) => lines.toSpliced(at, 1 + random.below(3))),
  onLines('repeat a line', (lines, at) => lines.toSpliced(at, 0, lines[at] ?? '')),
  onLines('swap lines', (lines, at, random) => {
    const other = random.below(Math.min(lines.length, 40))
    return lines.with(at, lines[other] ?? '').with(other, lines[at] ?? '')
  }),
  onLines('move a line', (lines, at, random) =>
    lines.toSpliced(at, 1).toSpliced(random.below(Math.min(lines.length, 40)), 0, lines[at] ?? ''),
  ),
  onLines('indent', (lines, at, random) =>
    lines.with(at, random.pick([' ', '  ', '    ', '\t', '\u00a0']) + lines[at]),
  ),
  onLines('outdent', (lines, at) => lines.with(at, (lines[at] ?? '').trimStart())),
  onLines('indent the header', (lines, at, random) => {
    const margin = random.pick(['  ', '    ', '\t'])
    return lines.map((line, index) => (index <= at ? margin + line : line))
  }),
  onLines('join two lines', (lines, at) => lines.toSpliced(at, 2, `${lines[at]} ${lines[at + 1] ?? ''}`)),
  onLines('insert a rule', (lines, at, random) =>
    lines.toSpliced(at, 0, random.pick(['---', '---  ', ' ---', '--- #', '---js', '...', '----', '`---`'])),
  ),
  onLines('insert a line', (lines, at, random) => lines.toSpliced(at, 0, random.pick(strayLines))),
  onLines('change quotes', (lines, at, random) =>
    lines.with(
      at,
      (lines[at] ?? '').replaceAll(/['"]/g, () => random.pick(['', "'", '"', '\u201c', '`'])),
    ),
  ),
  onLines('quote half', (lines, at, random) =>
    lines.with(
      at,
      (lines[at] ?? '').replace(/:\s*/, (colon) => colon + random.pick(['"', "'"])),
    ),
  ),
  onLines('change the case', (lines, at, random) =>
    lines.with(at, random.below(2) === 0 ? (lines[at] ?? '').toUpperCase() : (lines[at] ?? '').toLowerCase()),
  ),
  within('insert signs', (text, at, random) => text.slice(0, at) + random.pick(signs) + text.slice(at)),
  within('insert bytes', (text, at, random) => {
    const bytes = Buffer.from(Array.from({ length: 1 + random.below(8) }, () => random.below(256)))
    return text.slice(0, at) + bytes.toString(random.pick(['utf8', 'latin1'])) + text.slice(at)
  }),
  within('cut signs', (text, at, random) => text.slice(0, at) + text.slice(at + 1 + random.below(6))),
  within('truncate', (text, at) => text.slice(0, at)),
  within('insert an attack', (text, at, random) => text.slice(0, at) + random.pick(attacks) + text.slice(at)),
  {
    name: 'join the headers of two files',
    apply: (text, random, other) => {
      const [first, second] = [text.split('\n'), other.split('\n')]
      return [...first.slice(0, 1 + random.below(10)), ...second.slice(random.below(4))].join('\n')
    },
  },
]

/** They cost as much as a hundred others. */
const rareMutations: readonly Mutation[] = [
  onLines('repeat lines 1,000 times', (lines, at, random) => {
    const part = lines.slice(at, at + 1 + random.below(3)).map((line) => line.slice(0, 80))
    return lines.toSpliced(at, 0, ...Array.from({ length: 1_000 }, () => part).flat())
  }),
  within(
    'repeat signs 1,000 times',
    (text, at, random) => text.slice(0, at) + random.pick(signs).repeat(1_000) + text.slice(at),
  ),
]

const signs = [
  ...[
    '{',
    '}',
    '[',
    ']',
    '[[',
    '{{',
    ',',
    ': ',
    ' #',
    '- ',
    '? ',
    '| ',
    '> ',
    '%',
    '@',
    '`',
    '!',
    '!!str ',
    '*',
    '&',
  ],
  ...[
    '*a',
    '&a ',
    '<<: *a',
    '"',
    "'",
    '\\',
    '\\n',
    '\n',
    '\n\n',
    '\r',
    '\r\n',
    '\t',
    '\0',
    '\u0001',
    '\u001b[2J',
  ],
  ...[
    '\u007f',
    '\u0085',
    '\u2028',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\ufffd',
    '\ud800',
    'é',
    'e\u0301',
    '名',
    '🙂',
    '０',
  ],
]

const strayLines = [
  ...[
    'tools',
    'tools:',
    'tools: ',
    'tools: *',
    'Tools: Read',
    'tools : Read',
    '"tools": [Read]',
    'tools: [Read',
    'tools: {',
  ],
  ...[
    'tools: true',
    'tools: null',
    'tools: ~',
    'tools: >',
    '  - "*"',
    '- "*"',
    '- Read',
    '*',
    ']',
    '}',
    '"',
    "'",
  ],
  ...[
    'allowedTools: [Read]',
    'disallowedTools: Bash',
    'disallowedTools: {',
    'agents: []',
    'agents: [scout',
    'maxTurns: 3',
  ],
  ...[
    'maxTurns: many',
    'user-invocable: false',
    'disable-model-invocation: true',
    'name: other',
    'model:',
    'permission: x',
  ],
  ...[
    'description: |',
    'description: "',
    'user: "hello: there"',
    '# tools: *',
    '',
    '   ',
    '```',
    '````chatagent',
    '~~~',
  ],
]

/** If any of this runs, it leaves a mark: the global `cadreMarker`, or a file named `cadre-marker`. */
const attacks = [
  ...[
    "!!js/function 'function () { globalThis.cadreMarker = 1 }'",
    '!!js/regexp /(a+)+$/',
    '!<tag:x,2000:y> z',
  ],
  ...[
    '!!python/object/apply:os.system ["touch cadre-marker"]',
    `\${globalThis.cadreMarker = 1}`,
    '$(touch cadre-marker)',
  ],
  ...['`touch cadre-marker`', '<%= globalThis.cadreMarker = 1 %>', '{{ globalThis.cadreMarker = 1 }}'],
  ...[
    '\n---js\nglobalThis.cadreMarker = 1\n---\n',
    '\n__proto__: { cadreMarker: 1 }\n',
    '\nconstructor: { prototype: 1 }\n',
  ],
  ...[
    '\na: &a [x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nd: [*c, *c, *c]\n',
    '\nself: &self [*self]\n',
    '\n<<: *a\n',
  ],
]

type Change<T> = (content: T, at: number, random: Random) => T

/** Headers matter most, so most changes are near the start. */
function placeIn(length: number, near: number, random: Random): number {
  return random.below(Math.max(1, random.below(5) === 0 ? length : Math.min(length, near)))
}

function onLines(name: string, change: Change<readonly string[]>): Mutation {
  return {
    name,
    apply: (text, random) => {
      const lines = text.split('\n')
      return change(lines, placeIn(lines.length, 12, random), random).join('\n')
    },
  }
}

function within(name: string, change: Change<string>): Mutation {
  return { name, apply: (text, random) => change(text, placeIn(text.length, 500, random), random) }
}
