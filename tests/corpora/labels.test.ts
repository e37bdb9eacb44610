import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { filesBelow, realAgents } from './support/agent-corpus.ts'
import {
  digest,
  isLong,
  type Label,
  labelsFile,
  namesAt,
  normalise,
  readLabels,
  textAt,
} from './support/labels.ts'
import { strictAgent } from './support/strict-header.ts'

describe('the labels of agent files', () => {
  const labels = readLabels()

  it('are many, one per file, and complete', () => {
    expect(labels.length).toBeGreaterThanOrEqual(130)
    expect(new Set(labels.map(({ path }) => path)).size).toBe(labels.length)
    const incomplete = labels.filter((label) => {
      const { status, name, tools, model, description } = label
      if (status === 'failed') return name !== undefined || tools !== undefined
      const isDigested = description === null || description?.sha256 !== undefined
      const isCounted = !isLong(tools) || tools.sha256 !== undefined
      return [name, tools, model].includes(undefined) || !isDigested || !isCounted
    })
    expect(incomplete.map(({ path }) => path)).toEqual([])
  })

  describe.skipIf(realAgents === undefined)('on the real files (CADRE_CORPORA)', () => {
    // With CADRE_LABELS=write, the digests are computed from the labelled lines; otherwise they must match.
    it('match the digests of the lines they name', () => {
      const files = new Map(filesBelow(realAgents).map(({ path, text }) => [path, text]))
      const document = parseDocument(readFileSync(labelsFile, 'utf8'))
      const layout = { lineWidth: 0, flowCollectionPadding: false }
      const before = document.toString(layout)
      for (const [index, { path, description, tools }] of labels.entries()) {
        const text = files.get(path)
        if (text === undefined) continue
        if (description) {
          const value = textAt(text, description)
          document.setIn([index, 'description', 'length'], value.length)
          document.setIn([index, 'description', 'sha256'], digest(value))
        }
        if (isLong(tools)) {
          const names = namesAt(text, tools.line)
          document.setIn([index, 'tools', 'count'], names.length)
          document.setIn([index, 'tools', 'sha256'], digest(names.join('\n')))
        }
      }
      const now = document.toString(layout)
      if (process.env['CADRE_LABELS'] === 'write') writeFileSync(labelsFile, now)
      else expect(now).toBe(before)
    })

    it('call ok what YAML reads without errors, with the same result', () => {
      const files = new Map(filesBelow(realAgents).map(({ path, text }) => [path, text]))
      const faults = labels.flatMap((label) => {
        const text = files.get(label.path)
        const strict = text === undefined ? undefined : strictAgent(label.path, text)
        if (text === undefined || (strict === undefined && label.status !== 'ok')) return []
        if (strict === undefined || label.status !== 'ok') return [`${label.path}: ${label.status}`]
        const { description } = strict
        const isSame =
          JSON.stringify({ ...strict, description: digest(normalise(description)) }) === expected(label)
        return isSame ? [] : [`${label.path}: ${JSON.stringify(strict)}`]
      })
      expect(faults).toEqual([])

      function expected({ path, name, description, tools, model }: Label): string {
        return JSON.stringify({
          name,
          description: description?.sha256 ?? digest(''),
          tools: isLong(tools) ? namesAt(files.get(path) ?? '', tools.line) : tools === 'none' ? [] : tools,
          models: [model ?? []].flat().filter((written) => written !== 'inherit'),
        })
      }
    })
  })
})
