import { describe, expect, it } from 'vitest'
import { addAgent, changeAgent, emptyAgent, renameAgent } from './edit.ts'
import type { Configuration, LevelState, Problem } from './protocol.ts'
import { visibleProblems } from './visible-problems.ts'

const set: Configuration = { entryAgent: 'lead', agents: [emptyAgent('lead'), emptyAgent('bad name')] }
const written: Problem = {
  path: 'agents[1].toolPermissions.type',
  message: 'must be "all", "none" or "specific", not "some".',
  prevents: true,
}
const level = (problems: readonly Problem[] = []): LevelState => ({
  level: 'user',
  label: 'User',
  stamp: '1',
  isOld: false,
  configuration: set,
  problems,
})
const empty = (index: number): Problem => ({
  path: `agents[${index}].systemPrompt`,
  message: 'is empty.',
  prevents: true,
  isEmpty: true,
})
const shown = (configuration: Configuration, problems: readonly Problem[], tried = false) =>
  visibleProblems({ problems, configuration, level: level(), tried })

describe('the problems that the page shows', () => {
  it('include every problem of saved agents, before anything is edited', () => {
    expect(shown(set, [empty(0), empty(1)])).toEqual([empty(0), empty(1)])
  })

  it('include empty fields of a new agent only after an attempt to save', () => {
    const more = addAgent(set, emptyAgent('new-agent'))
    expect(shown(more, [empty(1), empty(2)])).toEqual([empty(1)])
    expect(shown(more, [empty(1), empty(2)], true)).toEqual([empty(1), empty(2)])
  })

  it('keep those of an agent while it is renamed', () => {
    expect(shown(renameAgent(set, 1, 'good-name'), [empty(1)])).toEqual([empty(1)])
  })

  it('include errors in the settings until their field is changed', () => {
    const at = (configuration: Configuration) =>
      visibleProblems({ problems: [], configuration, level: level([written]), tried: false })
    expect(at(set)).toEqual([written])
    expect(at(changeAgent(set, 1, { description: 'Mine' }))).toEqual([written])
    expect(at(changeAgent(set, 1, { toolPermissions: { type: 'all' } }))).toEqual([])
  })

  it('exclude those of deleted agents', () => {
    expect(shown({ entryAgent: '', agents: [] }, [empty(0)])).toEqual([])
  })
})
