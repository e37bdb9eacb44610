import type { ListedModel } from '@cadre/backends'
import { CadreError } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { type Config, modelRefusal, type Policy, restrictModels, withModelAliases } from '@cadre/home'
import { homeOf, loadPolicyFor, loadSettings, untrustedItems } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { formatAmount } from '../../output/numbers.ts'
import { availableWidth, textTable } from '../../output/text-table.ts'

/** The timeout for the Copilot language server, which must start first, in milliseconds. */
const limit = 20_000

/** `cadre models`. */
export async function showModels(
  io: Io,
  flags: { readonly home?: string; readonly model?: string; readonly json?: boolean },
): Promise<ExitCode> {
  const home = homeOf(io, flags.home)
  const homeTrusted = (await untrustedItems(io, home)).length === 0
  const policy = await loadPolicyFor(io, home, homeTrusted)
  const settings = await loadSettings(io, home, { homeTrusted })
  const config = withModelAliases(settings.config, policy)
  const { listAllModels } = await import('@cadre/backends')
  const listed = await listAllModels({
    config,
    env: io.env,
    cwd: io.cwd,
    limit,
  })
  const known = listed.flatMap(({ models: found }) => found)
  const chosen = flags.model || io.env['CADRE_MODEL'] || config.model
  const ofAccount = listed.find(({ defaultModel }) => defaultModel !== undefined)?.defaultModel
  const usual =
    known.find(({ id }) => id === (chosen ?? ofAccount))?.id ??
    (await defaultModel(io, config, policy, { chosen, ofAccount }))
  // A playbook, or a model of a server that lists none.
  const more = usual === undefined || known.some(({ id }) => id === usual) ? [] : [{ id: usual }]
  const rows = [...more, ...known].map((model) => ({
    ...model,
    default: model.id === usual,
    ...(modelRefusal(model.id, policy) !== undefined && { refused: true }),
  }))
  const troubles = listed.flatMap(({ trouble }) => trouble ?? [])
  if (flags.json) io.stdout.write(`${JSON.stringify(rows)}\n`)
  else if (rows.length > 0) io.stdout.write(table(io, rows))
  else if (troubles.length === 0)
    io.stdout.write(
      'No backend is configured. "cadre setup" finds one and stores your choice. Or sign in to GitHub Copilot with "cadre login".\n',
    )
  for (const trouble of troubles) io.warn(trouble)
  return troubles.length > 0 ? exitCodes.backend : exitCodes.done
}

interface Row extends ListedModel {
  readonly default: boolean
  readonly refused?: boolean
}

function table(io: Io, rows: readonly Row[]): string {
  const head = ['MODEL', 'CONTEXT', 'MAX OUTPUT', 'PRICE', 'PREMIUM REQUESTS', '']
  const cells = rows.map(({ id, window, maxOutput, price, multiplier, default: isDefault, refused }) =>
    [
      id,
      window === undefined ? '' : formatAmount(window),
      maxOutput === undefined ? '' : formatAmount(maxOutput),
      price === undefined ? '' : `$${price.input} / $${price.output}`,
      multiplier === undefined ? '' : multiplier === 0 ? 'included' : `${multiplier}x`,
      [isDefault ? 'default' : '', refused ? 'denied by a policy' : ''].filter(Boolean).join(', '),
    ].map(cleanLine),
  )
  return textTable(head, cells, availableWidth(io.stdout))
}

/** Undefined if none is configured, or it is unknown: `cadre doctor` explains that. */
async function defaultModel(
  io: Io,
  config: Config,
  policy: Policy,
  { chosen, ofAccount }: { readonly chosen: string | undefined; readonly ofAccount: string | undefined },
): Promise<string | undefined> {
  const { createModels } = await import('@cadre/backends')
  try {
    const all = createModels({
      config,
      env: io.env,
      cwd: io.cwd,
      clock: systemClock,
      defaultModel: async () => ofAccount,
      ...(chosen !== undefined && { model: chosen }),
    })
    const found = await restrictModels(all, policy).resolve(undefined)
    await all.close?.()
    return found.kind === 'found' ? found.model.id : undefined
  } catch (error) {
    if (error instanceof CadreError) return undefined
    throw error
  }
}
