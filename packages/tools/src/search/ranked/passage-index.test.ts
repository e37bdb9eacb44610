import { expect, it } from 'vitest'
import { compareHits, PassageIndex } from './passage-index.ts'

const stamp = { is: '1', changed: 0 }

it('sorts equally good passages by location, whatever file was indexed first', () => {
  const index = PassageIndex.empty()
  const passages = [1, 9].map((line) => ({ line, lines: 1, heading: '', text: 'The cat sat.' }))
  for (const file of ['c.md', 'a.md', 'b.md']) index.put(file, stamp, 0, passages)
  const hits = index.search('cat', () => true)
  const sorted = ['a.md:1', 'a.md:9', 'b.md:1', 'b.md:9', 'c.md:1', 'c.md:9']
  const found = (ones: typeof hits) => ones.map(({ path, line }) => `${path}:${line}`)
  expect(found(hits).filter((hit) => hit.endsWith('9'))).toEqual(['a.md:9', 'b.md:9', 'c.md:9'])
  // Passages that a semantic search finds have scores of their own.
  expect(
    found(
      hits
        .toReversed()
        .map((hit) => ({ ...hit, score: 1 }))
        .sort(compareHits),
    ),
  ).toEqual(sorted)
})
