import type { Models } from '@cadre/core'
import { compilePlaybook } from './compile-playbook.ts'
import type { UnusedStep } from './leftover-steps.ts'
import type { Playbook } from './playbook.ts'
import { playScript, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts'

export interface ScriptedOptions extends Pick<ScriptedModelOptions, 'clock' | 'onRequest'> {
  /** The name after `scripted:` in the model's id. Default `playbook`. */
  readonly name?: string
}

export interface ScriptedModels extends Models {
  readonly model: ScriptedModel
  leftovers(): UnusedStep[]
}

/** A model that plays a playbook made in code. Throws a `configuration` error if the playbook is invalid. */
export function scriptedModel(playbook: Playbook, options: ScriptedOptions = {}): ScriptedModel {
  const { name = 'playbook', ...rest } = options
  return playScript(compilePlaybook(playbook), { ...rest, id: `scripted:${name}` })
}

/** A catalogue in which every name refers to that model. */
export function createScriptedModels(playbook: Playbook, options: ScriptedOptions = {}): ScriptedModels {
  const model = scriptedModel(playbook, options)
  return { model, resolve: async () => ({ kind: 'found', model }), leftovers: () => model.leftovers() }
}
