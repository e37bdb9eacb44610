import { describe, expect, it } from 'vitest'
import { createTools } from './create-tools.ts'
import { combineTools } from './custom/combine-tools.ts'

describe('createTools', () => {
  it('the names of built-in tools do not collide', () => {
    const tools = createTools()
    expect(combineTools([tools])).toEqual({ tools, reports: [] })
  })

  it('without a home, messages, teams and skills, there are no tools for them', () => {
    const classes = createTools().map((tool) => tool.class)
    expect(classes.filter((kind) => ['agent', 'task', 'message'].includes(kind))).toEqual([])
    expect(createTools().map(({ name }) => name)).not.toContain('read_skill')
  })

  it('tools for the web declare their address, so that rules about hosts apply to them', () => {
    const web = createTools().filter((tool) => tool.class === 'web')
    expect(web.filter(({ address }) => address === undefined)).toEqual([])
    expect(new Set(web.map((tool) => tool.address?.({ url: 'https://a.example' })))).toEqual(
      new Set(['https://a.example']),
    )
  })

  it('no alias is the name of a class, so an agent that lists a class gets all of it', () => {
    const classes = ['search', 'execute', 'web', 'agent', 'todo', 'message']
    for (const { aliases = [] } of createTools())
      expect(aliases.filter((alias) => classes.includes(alias.toLowerCase()))).toEqual([])
  })
})
