import path from 'node:path'
import { matchModel, nearestModels } from '@cadre/core'
import type { Backend, BackendContext } from '../backend.ts'
import { createPlaybookReader } from './read-playbook.ts'
import { playScript } from './scripted-model.ts'

/** `scripted:FILE`, and `scripted:FILE#NAME` for the same playbook under another model name. */
export function openScripted({ cwd, env, clock }: BackendContext): Backend {
  const readPlaybook = createPlaybookReader()
  return {
    async open(name, factsOf) {
      const { file, playbook, as } = await find(name)
      if (playbook === undefined)
        return unknown(
          name,
          [],
          `there is no playbook at ${file}. Use --model scripted:FILE with the path to a YAML file.`,
        )
      // Absolute, so that the session can be continued from another folder.
      const id = `scripted:${file}`
      if (as === undefined)
        return {
          kind: 'found',
          model: playScript(playbook, { id, clock, facts: { ...playbook.facts, ...factsOf(name) } }),
        }
      const { names } = playbook
      const known = names === undefined ? as : matchModel(as, names.keys())
      if (known === undefined)
        return unknown(
          name,
          nearestModels(as, names?.keys() ?? []),
          `playbook ${file} has no model ${JSON.stringify(as)}. Choose one of its models, or map the name to one under "aliases" in config.yaml.`,
        )
      const facts = factsOf(known === as ? name : `${name.slice(0, name.length - as.length)}${known}`)
      const model = playScript(playbook, {
        id: `${id}#${known}`,
        name: known,
        clock,
        facts: { ...playbook.facts, ...names?.get(known), ...facts },
      })
      if (names !== undefined) return { kind: 'found', model }
      return {
        kind: 'found',
        model,
        warning: `playbook ${file} replaces model ${JSON.stringify(as)}.`,
      }
    },
    bare: (name, defaultModel) => `${defaultModel.split('#')[0]}#${name}`,
  }

  // A shell does not expand `~` after a prefix.
  function fileOf(name: string): string {
    return path.resolve(cwd, name.replace(/^~(?=\/)/, env['HOME'] ?? '~'))
  }

  async function find(name: string) {
    const file = fileOf(name)
    const playbook = name === '' ? undefined : await readPlaybook(file)
    const mark = name.lastIndexOf('#')
    if (playbook !== undefined || mark <= 0) return { file, playbook, as: undefined }
    const named = fileOf(name.slice(0, mark))
    return { file: named, playbook: await readPlaybook(named), as: name.slice(mark + 1) }
  }

  function unknown(name: string, near: readonly string[], reason: string) {
    return { kind: 'unknown', name: `scripted:${name}`, nearest: near, reason } as const
  }
}
