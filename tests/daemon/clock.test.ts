import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { createProject } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { inDeep } from '../support/amount.ts'
import { agent, skipTitle, startDaemon, statusOf } from './machine.ts'

const library = [
  process.env['LIBFAKETIME'] ?? '',
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
].find((file) => file !== '' && existsSync(file))
const noFaketime = library === undefined ? 'faketime is not installed' : undefined

inDeep.skipIf(noFaketime !== undefined)(
  skipTitle(
    'a clock that is set back and ahead: tasks are done once, the home stays owned, check-ins come one by one',
    noFaketime,
  ),
  async () => {
    const project = createProject({
      ...agent('planner'),
      '.cadre/storage/planner-checkin.yaml': 'interval_seconds: 3600\n',
      clock: '+0\n',
      'playbook.yaml': { lanes: { planner: Array.from({ length: 5 }, () => ({ reply: 'it is done' })) } },
    })
    const daemon = await startDaemon(project, [], {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: project.at('clock'),
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    })
    const checkIns = () =>
      Number(/checkin_count: (\d+)/.exec(project.read('.cadre/storage/planner-checkin.yaml'))?.[1] ?? 0)
    const isKnown = () => project.read('.cadre/storage/planner-checkin.yaml').includes('last_checkin')
    await until(isKnown)
    for (const [index, jump] of ['+0', '-3600', '+86400'].entries()) {
      project.write('clock', `${jump}\n`)
      project.write(`.cadre/tasks/t${index}.task.md`, `- [ ] A @planner "one"\n  id: t${index}\n`)
      await until(() => /\[x\]/.test(project.read(`.cadre/tasks/t${index}.task.md`)))
      expect((await statusOf(project)).pid).toBe(daemon.pid)
    }
    // A day has passed, which counts as one elapsed interval.
    await until(() => checkIns() === 1)
    expect((await project.cadre(['up'])).code).toBe(6)
    expect(project.sessions().length).toBe(3)
    expect(await daemon.stop()).toBe(0)
    expect(checkIns()).toBe(1)
  },
)
