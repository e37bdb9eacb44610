/**
 * True if some text matches both wildcards, where `*` matches any text and `?` one character. A text without either matches
 * only itself. Takes time proportional to the product of both lengths.
 */
export function wildcardsOverlap(a: string, b: string): boolean {
  // One row of the table: whether the rest of `a` can match the rest of `b` from each position.
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
