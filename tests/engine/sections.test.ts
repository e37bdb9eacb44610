import { sectionsOf } from '@cadre/core'
import { describe, expect, it } from 'vitest'

const found = (text: string, ...headings: string[]) => Object.fromEntries(sectionsOf(text, headings))

describe('sections', () => {
  it('are found in any format', () => {
    const text = '## Checked\nall of it\n\n**Verdict**: fine\n\nOpen Points: none'
    expect(found(text, 'Checked', 'Verdict', 'Open Points')).toEqual({
      checked: 'all of it',
      verdict: 'fine',
      'open points': 'none',
    })
    expect(found('# Verdict: PASS #\n- __Checked__: x', 'verdict', 'CHECKED')).toEqual({
      verdict: 'PASS',
      checked: 'x',
    })
  })

  it.each([
    ['a label', 'FAIL: a dash is left at the end'],
    ['something bold', '**FAIL** because a dash is left'],
    ['a heading below it', '### Reason\na dash is left'],
  ])('keep text that starts with %s', (_, content) => {
    expect(found(`## Verdict\n${content}\n\n## Evidence\nx`, 'Verdict', 'Evidence')).toEqual({
      verdict: content,
      evidence: 'x',
    })
  })

  it('end at a heading of the same or a higher rank', () => {
    expect(found('## Verdict\n\n## Remarks\nmuch', 'Verdict')).toEqual({ verdict: '' })
    expect(found('### Verdict\n\n# Remarks\nmuch', 'Verdict')).toEqual({ verdict: '' })
    expect(found('Verdict:\n\n## Remarks\nmuch', 'Verdict')).toEqual({ verdict: '' })
  })

  it('do not start inside code', () => {
    expect(found('```\n## Verdict\nPASS\n```\n', 'Verdict')).toEqual({})
  })

  it('that occur twice are merged', () => {
    expect(found('Verdict: see below\n\n## Verdict\nPASS', 'Verdict')).toEqual({
      verdict: 'see below\n\n\nPASS',
    })
  })
})
