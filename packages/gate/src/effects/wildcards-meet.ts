/**
 * Whether some text fits both wildcards, in which `*` stands for any text and `?` for one character. A text without either
 * is a wildcard that fits only itself. Takes at most as many steps as both lengths multiplied.
 */
export function wildcardsMeet(a: string, b: string): boolean {
  // One row of answers: whether what is left of `a` can meet what is left of `b` from each position on.
  let below = new Array<boolean>(b.length + 1).fill(false)
  for (let i = a.length; i >= 0; i--) {
    const row = new Array<boolean>(b.length + 1).fill(false)
    for (let j = b.length; j >= 0; j--) {
      if (i === a.length && j === b.length) row[j] = true
      else if (a[i] === '*') row[j] = below[j] === true || row[j + 1] === true
      else if (b[j] === '*') row[j] = row[j + 1] === true || below[j] === true
      else if (i < a.length && j < b.length && (a[i] === b[j] || a[i] === '?' || b[j] === '?'))
        row[j] = below[j + 1] === true
    }
    below = row
  }
  return below[0] === true
}
