import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPainter } from './painter.ts'
import { VirtualScreen } from './virtual-screen.spec-helpers.ts'

test('shows the last frame below all printed lines', () => {
  const line = fc.stringMatching(/^[a-z ]{0,12}$/)
  const action = fc.oneof(
    fc.record({ kind: fc.constant('paint' as const), lines: fc.array(line, { maxLength: 8 }) }),
    fc.record({ kind: fc.constant('print' as const), lines: fc.array(line, { minLength: 1, maxLength: 1 }) }),
  )
  fc.assert(
    fc.property(fc.array(action, { maxLength: 20 }), (actions) => {
      const screen = new VirtualScreen(20, 10)
      const painter = createPainter(screen, () => {})
      const printed: string[] = []
      let frame: readonly string[] = []
      for (const { kind, lines } of actions) {
        if (kind === 'paint') {
          painter.paint(lines)
          frame = lines
        } else {
          painter.print(lines[0] as string)
          printed.push(...lines)
        }
      }
      painter.end()
      const expected = [...printed, ...frame].map((text) => text.trimEnd())
      while (expected.at(-1) === '') expected.pop()
      expect(screen.shown()).toEqual(expected)
      expect(screen.cursorHidden).toBe(false)
    }),
  )
})

test('does not rewrite an unchanged frame', () => {
  const screen = new VirtualScreen(40, 10)
  const painter = createPainter(screen, () => {})
  painter.paint(['one', 'two'])
  const { writes } = screen
  painter.paint(['one', 'two'])
  expect(screen.writes).toBe(writes)
  painter.paint(['one', 'other'])
  expect(screen.writes).toBe(writes + 1)
  painter.end()
})

test('cuts lines to the width and frames to the height of the screen', () => {
  const screen = new VirtualScreen(10, 4)
  const painter = createPainter(screen, () => {})
  painter.paint(['a line that is too long', '漢字漢字漢字漢字', 'three', 'four', 'five'])
  expect(screen.shown()).toEqual(['a line t…', '漢字漢字…', 'three'])
  painter.end()
})

test('leaves nothing of the old frame on a narrower screen', () => {
  const screen = new VirtualScreen(40, 12)
  const painter = createPainter(screen, () => painter.paint(['a first line that is long', 'second']))
  painter.print('kept')
  painter.paint(['a first line that is long', 'second'])
  screen.resize(12, 12)
  expect(screen.shown()).toEqual(['kept', 'a first li…', 'second'])
  screen.resize(40, 12)
  expect(screen.shown()).toEqual(['kept', 'a first line that is long', 'second'])
  painter.end()
})

test.each(Array.from({ length: 30 }, (_, index) => index))(
  'finds a line of %i columns again after a resize',
  (width) => {
    const screen = new VirtualScreen(40, 12)
    const painter = createPainter(screen, () => painter.paint(['new']))
    painter.print('kept')
    painter.paint(['x'.repeat(width), 'y'])
    screen.resize(12, 12)
    expect(screen.shown()).toEqual(['kept', 'new'])
    painter.end()
  },
)

test('clearing removes the frame and shows the cursor; the next frame hides it again', () => {
  const screen = new VirtualScreen(40, 10)
  const painter = createPainter(screen, () => {})
  painter.print('kept')
  painter.paint(['one', 'two'])
  expect(screen.cursorHidden).toBe(true)
  painter.clear()
  expect(screen.shown()).toEqual(['kept'])
  expect(screen.cursorHidden).toBe(false)
  painter.paint(['three'])
  expect(screen.shown()).toEqual(['kept', 'three'])
  expect(screen.cursorHidden).toBe(true)
  painter.end()
  expect(screen.cursorHidden).toBe(false)
})
