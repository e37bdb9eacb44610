import type { Backend } from '@cadre/backends'
import { nearestModels } from '@cadre/core'
import * as vscode from 'vscode'
import { findModel } from './find-model.ts'
import { vscodeModel } from './vscode-model.ts'

/** The prefix of these models in `--model` and in journals. */
export const modelPrefix = 'vscode'

export function idOf({ vendor, id }: Pick<vscode.LanguageModelChat, 'vendor' | 'id'>): string {
  return `${modelPrefix}:${vendor}/${id}`
}

/** Words in agent files for the default model. */
const defaultWords = /^(?:auto|default)$/i

/**
 * The models that VS Code offers. An unknown name is replaced by `chosen`, the model of the request, with a warning, so
 * that an agent written for another subscription still works. The list is requested only if another model is named.
 */
export function createVscodeBackend(chosen: vscode.LanguageModelChat): Backend {
  let listed: Promise<readonly vscode.LanguageModelChat[]> | undefined
  const list = () => {
    listed ??= Promise.resolve(vscode.lm.selectChatModels()).catch(() => [])
    return listed
  }
  return {
    async open(name) {
      const isChosen = name === `${chosen.vendor}/${chosen.id}` || defaultWords.test(name)
      if (isChosen) return { kind: 'found', model: vscodeModel(chosen, { id: idOf(chosen) }) }
      const models = await list()
      const found = findModel(name, models, chosen.vendor)
      if (found !== undefined) return { kind: 'found', model: vscodeModel(found, { id: idOf(found) }) }
      const near = nearestModels(
        name,
        models.map((model) => model.name),
      )
      const hint = near.length === 0 ? '' : ` VS Code has, for example, ${near.join(', ')}.`
      const warning = `VS Code offers no model ${JSON.stringify(name)}, so Cadre uses ${chosen.name}.${hint}`
      // Under the requested name: each reply records the model that answered.
      const model = vscodeModel(chosen, { id: `${modelPrefix}:${name}`, warning })
      return { kind: 'found', model, warning, standIn: true }
    },
    names: async () => (await list()).map(({ vendor, id }) => `${vendor}/${id}`),
  }
}
