import { expect, test } from 'vitest'
import { plainMessage } from './plain-message.ts'

test('agent text does not become a link in a notification', () => {
  expect(plainMessage('[click](command:workbench.action.terminal.new) (x) [y]')).toBe(
    '[click] (command:workbench.action.terminal.new) (x) [y]',
  )
})
