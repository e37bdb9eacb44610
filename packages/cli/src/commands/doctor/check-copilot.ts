import type { CopilotStatus } from '@cadre/backends'
import type { Settings } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { formatCount } from '../../output/numbers.ts'
import { type Check, fail, ok, warn } from './check.ts'

export interface CopilotCheckOptions {
  /** The model that a run would use; if it is Copilot's, a missing server is a failure. */
  readonly model: string | undefined
  /** The timeout for the language server, in milliseconds. */
  readonly limit: number
}

export interface CopilotChecks {
  readonly checks: readonly Check[]
  /** The models of the account, if known. */
  readonly models: CopilotStatus['models']
}

/** Checks the language server, the sign-in and the SDK. Starts nothing if the server is not installed or nobody is signed in. */
export async function checkCopilot(
  io: Io,
  settings: Settings | undefined,
  { model = '', limit }: CopilotCheckOptions,
): Promise<CopilotChecks> {
  const { installedServer, mayBeSignedIn, inspectCopilot, serverConfigProblem } = await import(
    '@cadre/backends'
  )
  const { env } = io
  const configured = settings?.config.copilot?.server
  const problem = isCopilotModel(model) ? fail : note
  const server = installedServer({ env, configured })
  const ofSdk = await checkSdk(env)
  if (server === undefined) {
    const wrong = serverConfigProblem({ env, configured })
    const missing =
      wrong === undefined
        ? problem(
            'copilot',
            'the language server is not installed',
            'Run "cadre login" to install it and to sign in.',
          )
        : fail('copilot', wrong)
    return { checks: [missing, ofSdk], models: undefined }
  }
  const installed = ok(
    'copilot',
    `language server ${server.version ?? 'of unknown version'}, ${server.place}`,
  )
  const survey: CopilotStatus = mayBeSignedIn(env)
    ? ((await inspectCopilot({ env, configured, limit })) ?? {})
    : { account: { kind: 'signed-out' } }
  return {
    checks: [installed, ...(await checkAccount(io, survey, problem)), ofSdk],
    models: survey.models,
  }
}

async function checkSdk(env: Io['env']): Promise<Check> {
  const { installedSdk, missingSdkMessage } = await import('@cadre/backends')
  const name = 'copilot sdk'
  const sdk = installedSdk(env)
  if (sdk !== undefined) return ok(name, `${sdk.version}, ${sdk.place}`)
  return env['CADRE_COPILOT_SDK']?.trim()
    ? fail(name, missingSdkMessage(env))
    : note(name, 'not installed', 'Run "cadre login --sdk" to install it.')
}

export function isCopilotModel(model: string): boolean {
  return model.startsWith('copilot-ls:')
}

const timeoutHint = 'Try "cadre doctor --wait 30".'

type Problem = (name: string, message: string, fix?: string) => Check

async function checkAccount(
  io: Io,
  { account, subscription, models, trouble }: CopilotStatus,
  problem: Problem,
): Promise<Check[]> {
  const { tokenVariable } = await import('@cadre/backends')
  const variable = tokenVariable(io.env)
  const name = 'copilot login'
  switch (account?.kind) {
    case undefined:
      return [warn(name, trouble ?? 'unknown', timeoutHint)]
    case 'unknown':
      return [warn(name, account.message, 'Check the network.')]
    case 'unconfirmed':
      return [warn(name, `${account.user}, not verified: ${trouble ?? ''}`, timeoutHint)]
    case 'signed-out':
      return variable === undefined
        ? [problem(name, 'not signed in', 'Run "cadre login".')]
        : [fail(name, `GitHub rejected the token in ${variable}`, 'Replace it, or unset the variable.')]
    case 'no-access':
      return [problem(name, `${account.user} has no access to GitHub Copilot`)]
    case 'signed-in': {
      const from = variable === undefined ? '' : `, with the token in ${variable}`
      const plan = subscription?.plan === undefined ? '' : `, plan ${subscription.plan}`
      const chat =
        subscription?.chat === undefined ? '' : `, chat ${subscription.chat ? 'enabled' : 'disabled'}`
      const said = `${account.user}${from}${plan}${chat}`
      const signedIn =
        subscription?.chat === false
          ? warn(name, said, 'Enable chat in your Copilot settings.')
          : ok(name, said)
      return [
        signedIn,
        models === undefined
          ? warn('copilot models', trouble ?? 'GitHub listed no models', trouble && timeoutHint)
          : ok('copilot models', `${formatCount(models.length, 'model')}; list them with "cadre models"`),
      ]
    }
  }
}

/** Not a problem: Copilot is only one of several backends. */
function note(name: string, message: string, fix?: string): Check {
  return { ...ok(name, message), ...(fix !== undefined && { fix }) }
}
