import { expect, test } from 'vitest'
import { plainMessage } from './plain-message.ts'

test('text of an agent becomes no link in a notification', () => {
  expect(plainMessage('[click](command:workbench.action.terminal.new) (x) [y]')).toBe(
    '[click] (command:workbench.action.terminal.new) (x) [y]',
  )
})
