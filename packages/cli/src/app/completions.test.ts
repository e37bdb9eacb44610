import { describe, expect, it } from 'vitest'
import { buildApp } from './build-app.ts'
import { completions } from './completions.ts'

interface Parameter {
  readonly brief: string
  readonly placeholder?: string
}

interface Target {
  readonly parameters?: {
    readonly flags?: Readonly<Record<string, Parameter>>
    readonly positional?: { readonly parameters?: readonly Parameter[]; readonly parameter?: Parameter }
  }
  getAllEntries?(): readonly { readonly name: { readonly original: string }; readonly target: Target }[]
}

interface Place extends Parameter {
  readonly command: string
  /** For completing a flag. */
  readonly flag?: string
}

function placesIn({ parameters, getAllEntries }: Target, command: string): Place[] {
  if (getAllEntries !== undefined)
    return getAllEntries().flatMap(({ name, target }) => placesIn(target, `${command} ${name.original}`))
  const { flags = {}, positional } = parameters ?? {}
  const args = [...(positional?.parameters ?? []), ...(positional?.parameter ? [positional.parameter] : [])]
  return [
    ...Object.entries(flags).map(([flag, parameter]) => ({ ...parameter, command, flag })),
    ...args.map((parameter) => ({ ...parameter, command })),
  ]
}

const places = placesIn(buildApp().root as unknown as Target, 'cadre')
const shown = ({ command, flag, brief, placeholder }: Place) =>
  `${command} ${flag === undefined ? '' : `--${flag} `}<${placeholder}>: ${brief}`

describe('completion finds values by placeholders', () => {
  it.each(Object.keys(completions))('a command has %s', (placeholder) => {
    expect(places.map((place) => place.placeholder)).toContain(placeholder)
  })

  it.each(['agent', 'team', 'model'])('every flag --%s has its placeholder', (name) => {
    const named = places.filter(({ flag }) => flag === name)
    expect(named).not.toEqual([])
    expect(named.filter(({ placeholder }) => placeholder !== name.toUpperCase()).map(shown)).toEqual([])
  })

  it.each(['session', 'approval', 'agent'])(
    'every argument that names one %s has its placeholder',
    (noun) => {
      const namePattern = new RegExp(
        `^(?:The )?(?:(?:id|name) of (?:the|an?) ${noun}|${noun} (?:id|name))\\b`,
        'i',
      )
      const named = places.filter(({ flag, brief }) => flag === undefined && namePattern.test(brief))
      expect(named).not.toEqual([])
      expect(named.filter(({ placeholder }) => placeholder !== noun).map(shown)).toEqual([])
    },
  )
})
