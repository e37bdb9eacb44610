import type { JsonObject } from '@cadre/core'
import { isLoopback } from '../is-loopback.ts'
import { type Environment, readSettings, type SettingsReader } from '../settings-reader.ts'

/** The settings for accessing Slack. */
export interface SlackAccess {
  /** Ends with a slash. */
  readonly baseUrl: string
  readonly botToken: string
  /** Channels to read from and post to; absent: all that the app is in. */
  readonly channels: ReadonlySet<string> | undefined
}

export type SlackSettings = SlackAccess & {
  readonly ignoreBots: boolean
  readonly approvalsChannel: string | undefined
  /** The ids of users who may decide. Empty: there are no buttons. */
  readonly approvers: ReadonlySet<string>
} & (
    | { readonly mode: 'socket'; readonly appToken: string }
    | { readonly mode: 'webhook'; readonly signingSecret: string }
  )

const keys = [
  'mode',
  'bot_token_env',
  'app_token_env',
  'signing_secret_env',
  'base_url',
  'approvals_channel',
  'approvers',
  'channels',
  'ignore_bots',
]

export function readSlackAccess(given: JsonObject, environment: Environment): SlackAccess {
  return accessOf(readSettings('channels.slack', given, environment))
}

export function readSlackSettings(given: JsonObject, environment: Environment): SlackSettings {
  const read = readSettings('channels.slack', given, environment)
  const approvers = read.texts('approvers') ?? []
  const odd = approvers.find((one) => !/^[UW][A-Z0-9]{1,30}$/.test(one))
  if (odd !== undefined)
    throw read.fault(
      'approvers',
      'This must be a list of user ids, such as U024BE7LH. Names are not allowed, because they can change.',
    )
  const common = {
    ...accessOf(read),
    ignoreBots: read.flag('ignore_bots', true),
    approvalsChannel: read.text('approvals_channel'),
    approvers: new Set(approvers),
  }
  return read.choice('mode', ['socket', 'webhook']) === 'socket'
    ? { ...common, mode: 'socket', appToken: read.secret('app_token_env') }
    : { ...common, mode: 'webhook', signingSecret: read.secret('signing_secret_env') }
}

function accessOf(read: SettingsReader): SlackAccess {
  read.restrictModels(keys)
  const channels = read.texts('channels')
  return {
    baseUrl: baseUrlOf(read),
    botToken: read.secret('bot_token_env'),
    channels: channels && new Set(channels),
  }
}

function baseUrlOf(read: SettingsReader): string {
  const text = read.text('base_url') ?? 'https://slack.com/api/'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.username !== '' || url.password !== '' || url.search !== '')
    throw read.fault('base_url', 'This must be a URL without a password and without a query.')
  // The token is sent there: unencrypted only to this machine.
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    throw read.fault('base_url', 'This must be a URL that begins with https://.')
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}
