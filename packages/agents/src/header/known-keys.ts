/**
 * The keys of all dialects, normalized: lower case, without `-` and `_`. Other keys are kept as written. The lists matter
 * when a header is read line by line: there, `user:` at the start of a line is part of the description above it, and
 * `tools:` is a key.
 */

/**
 * Keys that restrict an agent. If one of them seems to be present but is invalid, the agent never gets more than it would
 * permit.
 */
const restrictions = {
  tools: [
    'tools',
    'allowedtools',
    'disallowedtools',
    'deniedtools',
    'excludedtools',
    'excludetools',
    'blockedtools',
    'restrictedtools',
    'permission',
    'permissions',
    'permissionmode',
    'readonly',
    'hooks',
  ],
  agents: ['agents', 'subagents'],
  limits: [
    'maxturns',
    'maxturn',
    'maxsteps',
    'maxiterations',
    'steps',
    'timeout',
    'timeoutseconds',
    'budget',
  ],
  flags: [
    'userinvocable',
    'userinvokable',
    'disablemodelinvocation',
    'infer',
    'hidden',
    'disable',
    'disabled',
    'mode',
    'isolation',
  ],
  boundary: ['cadrewrites', 'cadrecommands'],
} as const

export type Restriction = keyof typeof restrictions

/** Keys with prose, which people write without thinking of YAML. */
const prose = [
  'description',
  'usefor',
  'whentouse',
  'prompt',
  'systemprompt',
  'initialprompt',
  'argumenthint',
  'instructions',
]

const others = `
  name model models id agentid type agenttype capabilities handoffs mcpservers mcp background isbackground
  requiredsections color icon emoji vibe target version author title category tags tier temperature topp effort
  reasoningeffort textverbosity skills memory license metadata priority kbdomains antipatternrefs alloweddirectories
  stopconditions escalationrules created updated triggers dependson sidekick observer observermessage autocompactwindow
  omitclaudemd variant options agent apiversion kind spec labels runmode applyto
`
  .trim()
  .split(/\s+/)

const agentKeys = new Set(
  'name model models id agentid agenttype capabilities handoffs mcpservers mcp'.split(' '),
)

const restrictionByKey: ReadonlyMap<string, Restriction> = new Map(
  Object.entries(restrictions).flatMap(([kind, keys]) =>
    keys.map((key) => [key, kind as Restriction] as const),
  ),
)
const proseKeys = new Set(prose)
const textKeys = new Set(['name', 'description', 'usefor', 'whentouse', 'prompt', 'systemprompt'])
const known = new Set([...restrictionByKey.keys(), ...prose, ...others])

const isPlain = /^[a-z]*$/

/** `max-turns`, `max_turns` and `maxTurns` are one key. So is `“tools”`: an extra character must not remove a restriction. */
export function plainKey(written: string): string {
  if (isPlain.test(written)) return written
  const plain = written.toLowerCase().replaceAll(/[-_]/g, '')
  if (known.has(plain)) return plain
  const bare = plain.replaceAll(/[^a-z\d]/g, '')
  return restrictionByKey.has(bare) ? bare : plain
}

export function isKnownKey(plain: string): boolean {
  return known.has(plain)
}

export function isProseKey(plain: string): boolean {
  return proseKeys.has(plain)
}

/** Read as text, whatever type YAML gives it. */
export function isTextKey(plain: string): boolean {
  return textKeys.has(plain)
}

export function restrictionOf(plain: string): Restriction | undefined {
  return restrictionByKey.get(plain)
}

/** Keys that only agents have: any of them identifies the header of an agent. */
export function isAgentKey(plain: string): boolean {
  return restrictionByKey.has(plain) || proseKeys.has(plain) || agentKeys.has(plain)
}

/** A dialect's other names for keys, normalized. */
export interface KeySynonyms {
  readonly [spelling: string]: string
}

/** Returns the restriction that a key is or seems to be, in a dialect with these synonyms. */
export function intendedRestriction(written: string, synonyms: KeySynonyms = {}): string | undefined {
  const plain = plainKey(written)
  if (restrictionOf(plain) !== undefined) return plain
  const bare = replaceLookAlikes(written)
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, '')
  if (restrictionOf(bare) !== undefined) return bare
  const other = Object.keys(synonyms).find(
    (key) => restrictionOf(synonyms[key] as string) !== undefined && isSimilarKey(key, bare),
  )
  if (other !== undefined) return synonyms[other]
  return known.has(plain) ? undefined : findMisspelling(bare)
}

/** Returns the key that this one seems to misspell: one letter added, missing, changed or swapped. */
function findMisspelling(plain: string): string | undefined {
  // Short keys resemble too many other words.
  const long = [...restrictions.limits, ...restrictions.flags].filter((key) => key.length > 5)
  return [...restrictions.tools, ...restrictions.agents, ...long].find((key) => isSimilarKey(key, plain))
}

/** True if a key seems to misspell this one: one letter added, missing, changed, swapped or repeated. */
export function isSimilarKey(key: string, plain: string): boolean {
  if (Math.abs(key.length - plain.length) <= 1 && isOneLetterOff(key, plain)) return true
  return plain.length > key.length && plain.length < 40 && withoutRepeats(plain) === withoutRepeats(key)
}

/** Removes repeated letters: `tooools`. */
function withoutRepeats(word: string): string {
  return word.replaceAll(/(.)\1+/g, '$1')
}

/** Cyrillic and Greek letters that look like these Latin ones. */
const lookAlikes = new Map(
  Object.entries({
    a: 'аα',
    b: 'ЬВΒ',
    c: 'сϲ',
    d: 'ԁ',
    e: 'еεΕЕ',
    g: 'ɡ',
    h: 'һΗ',
    i: 'іιıІΙ',
    j: 'ј',
    k: 'кκΚК',
    l: 'ӏⅼ',
    m: 'мΜМ',
    n: 'пηΝ',
    o: 'оοσОΟ',
    p: 'рρРΡ',
    s: 'ѕЅ',
    t: 'тτТΤ',
    u: 'υ',
    v: 'ѵν',
    w: 'ԝω',
    x: 'хχХΧ',
    y: 'уγУΥ',
  }).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)),
)

/** Replaces look-alike letters and punctuation with their Latin equivalents. */
export function replaceLookAlikes(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return text.normalize('NFKC').replaceAll(/\P{ASCII}/gu, (sign) => lookAlikes.get(sign) ?? sign)
}

function isOneLetterOff(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const left = a.slice(start, a.length - end)
  const right = b.slice(start, b.length - end)
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}
