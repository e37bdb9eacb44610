import { CadreError, type Json } from '@cadre/core'
import { type Config, loadConfig } from '@cadre/home'
import { untrustedItems, userPaths } from '@cadre/runtime'
import { cleanLine } from '../../../output/clean-text.ts'
import { formatAmount } from '../../../output/numbers.ts'
import { availableWidth, textTable } from '../../../output/text-table.ts'
import type { Chat } from '../chat.ts'
import type { ChatCommand } from '../chat-commands.ts'

export const settingCommands: readonly ChatCommand[] = [
  {
    name: 'model',
    argument: '[NAME]',
    about: 'switch to another model, or list the models',
    run: changeModel,
  },
  { name: 'config', about: 'show the settings and the files they come from', run: showConfig },
]

async function changeModel(chat: Chat, name: string): Promise<void> {
  const { conversation, runtime, output, status } = chat
  if (name === '') return listModels(chat)
  const found = await runtime.models.resolve(name)
  if (found.kind === 'unknown') throw new CadreError(found.code ?? 'unknown_model', found.reason)
  conversation.chooseModel(found.model.id)
  status.chooseModel(found.model.id, found.model.window)
  output.note(`Switched to ${cleanLine(found.model.id)}.`)
}

/** The timeout for a backend that must be started first, in milliseconds. */
const limit = 20_000

async function listModels({ runtime, output, io, drive, status }: Chat): Promise<void> {
  const { config } = await settingsOf(runtime.home, io)
  const { listAllModels } = await import('@cadre/backends')
  const listed = await listAllModels({ config, env: io.env, cwd: io.cwd, limit })
  const models = listed.flatMap((backend) => backend.models)
  const current = status.facts().model
  const rows = models.map(({ id, window }) =>
    [id, window === undefined ? '' : formatAmount(window), id === current ? 'in use' : ''].map(cleanLine),
  )
  const troubles = listed.flatMap(({ trouble }) => (trouble === undefined ? [] : [cleanLine(trouble)]))
  const table =
    rows.length === 0
      ? []
      : [textTable(['MODEL', 'CONTEXT', ''], rows, availableWidth(drive.stdout)).trimEnd()]
  const none =
    rows.length === 0 && troubles.length === 0 ? ['No configured backend can list its models.'] : []
  const inUse = current === undefined ? [] : [`In use: ${cleanLine(current)}`]
  const text = [...table, ...troubles, ...none, ...inUse, 'Switch with /model NAME.'].join('\n')
  output.note(text, { type: 'models', models, ...(current !== undefined && { current }) })
}

async function settingsOf(home: Chat['runtime']['home'], io: Chat['io']) {
  const isTrusted = (await untrustedItems(io, home)).length === 0
  const userConfig = userPaths(io.env).config
  return loadConfig({ ...(isTrusted && { home: home.path }), userConfig, trusted: () => isTrusted })
}

async function showConfig({ runtime, output, io, drive }: Chat): Promise<void> {
  const { config, sources } = await settingsOf(runtime.home, io)
  const userConfig = userPaths(io.env).config
  const own = leavesOf((await loadConfig({ userConfig })).config)
  const rows = [...leavesOf(config)].map(([key, value]) => [
    key,
    value,
    own.get(key) === value ? userConfig : runtime.home.at('config.yaml'),
  ])
  const model = io.env['CADRE_MODEL']
  if (model !== undefined && model !== '') rows.push(['model', model, 'the variable CADRE_MODEL'])
  const text =
    rows.length === 0
      ? `All settings use their defaults. Set them in ${runtime.home.at('config.yaml')} or ${userConfig}.`
      : textTable(
          ['SETTING', 'VALUE', 'FROM'],
          rows.map((row) => row.map(cleanLine)),
          availableWidth(drive.stdout),
        ).trimEnd()
  output.note(text, {
    type: 'config',
    config: Object.fromEntries(rows.map(([key, value]) => [key, value])),
    sources,
  })
}

/** Every setting with its key path. Values of possibly secret keys are hidden. */
function leavesOf(config: Config): Map<string, string> {
  const leaves = new Map<string, string>()
  const add = (path: string, value: Json | undefined) => {
    if (value === undefined) return
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [key, item] of Object.entries(value)) add(path === '' ? key : `${path}.${key}`, item)
    else leaves.set(path, /key|token|secret|password/i.test(path) ? '(set)' : JSON.stringify(value))
  }
  add('', config as Json)
  return leaves
}
