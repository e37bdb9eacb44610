/**
 * Compares two runs of a line: `same`, `loosely` if only volatile output or the words of an error message differ, or
 * `different`. `traits` describes what may differ. `isVolatile`: it prints times, inodes or names in any order.
 * `mergesErrors`: error messages are part of its output.
 */
export function isSame(one, other, traits) {
  if (one.code !== other.code) return 'different'
  if (resultOf(one, plain) === resultOf(other, plain)) return 'same'
  for (const normal of [
    traits.mergesErrors && withoutErrors,
    traits.mergesErrors && withoutSpeaker,
    traits.isVolatile && stable,
    traits.mergesErrors && traits.isVolatile && ((text) => stable(withoutErrors(text))),
  ])
    if (normal && resultOf(one, normal) === resultOf(other, normal)) return 'loosely'
  return 'different'
}

function resultOf({ out, changes }, normal) {
  const kept = changes
    // It contains inodes and times.
    .filter(({ name }) => name !== '.git/index')
    .map(({ name, what, kind, mode, content }) => [name, what, kind, mode, content && normal(content)])
  return JSON.stringify([normal(out), kept])
}

const plain = (text) => text

const messages =
  /^.*(?:\/bin\/bash: |bash: |cadre: |(?:printf|test|\[|echo|cat|ls): |warning: here-document).*(?:\n|$)/gm

function withoutErrors(text) {
  return text.replace(messages, '')
}

/** A message that a later program has split into lines. */
function withoutSpeaker(text) {
  return text.replace(/\s+/g, '').replace(/\/bin\/bash:line\d+:|cadre:/g, '')
}

function stable(text) {
  return text
    .replace(/[ \t]+/g, ' ')
    .replace(/\d+/g, '#')
    .split(/[\n\0]/)
    .sort()
    .join('\n')
}
