import { markUnsandboxedCommand } from '@cadre/home'
import { say, scriptedModels } from '@cadre/testing'
import { expect, test } from 'vitest'
import { sessionText, template, temporaryHome, writeEntry } from '../daemon/daemon.spec-helpers.ts'
import { openTestDaemon } from '../daemon/test-daemon.spec-helpers.ts'
import { createSessionsDuty } from './sessions-duty.ts'

test('does not treat text in a session file as a person’s while a command could have written it', async () => {
  const { home } = temporaryHome()
  template(home, 'worker')
  const models = scriptedModels({ worker: [say('done'), say('done again')] })
  const { context, keeper, rest } = await openTestDaemon({ home, models })
  const duty = createSessionsDuty({ ...context, sessions: keeper }, { asks: () => {} })
  await duty.start()
  await keeper.start({ id: 'w-1', agent: 'worker', work: { content: 'go' } })
  await rest()
  const endMark = markUnsandboxedCommand(home, 'w-1/call')
  writeEntry(home, 'w-1', 'and once more')
  await duty.changed(['sessions/w-1.session.yaml'])
  await rest()
  expect(models.requests).toHaveLength(1)
  endMark()
  await duty.tick?.(Date.now())
  await rest()
  expect(models.requests).toHaveLength(2)
  expect(sessionText(home, 'w-1')).toContain('done again')
})
