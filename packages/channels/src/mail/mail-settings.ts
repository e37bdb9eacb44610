import { resolve } from 'node:path'
import type { JsonObject } from '@cadre/core'
import { isLoopback } from '../is-loopback.ts'
import { type Environment, readSettings, type SettingsReader } from '../settings-reader.ts'
import { isAddress } from './mail-address.ts'

/** An email server. Unencrypted connections are allowed only to this machine. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. Otherwise STARTTLS is required, except on this machine. */
  readonly secure: boolean
  readonly isLocal: boolean
  readonly user: string | undefined
  readonly password: string | undefined
}

export type MailIn =
  | { readonly kind: 'maildir'; readonly folder: string }
  | { readonly kind: 'imap'; readonly server: MailServer; readonly mailbox: string }

export interface MailOut {
  readonly server: MailServer
  readonly from: string
}

export interface MailSettings {
  readonly in: MailIn | undefined
  /** Addresses, and domains such as `@example.org`, in lower case. Absent: everyone. */
  readonly allowFrom: readonly string[] | undefined
}

const keys = ['in', 'out', 'allow_from']

/** Reads the settings for receiving. A folder is relative to the home. */
export function readMailSettings(given: JsonObject, environment: Environment, home: string): MailSettings {
  const read = readSettings('channels.mail', given, environment)
  read.restrictModels(keys)
  const allowFrom = read.texts('allow_from')?.map((one) => one.toLowerCase())
  const odd = allowFrom?.find((one) => !isAddress(one.startsWith('@') ? `x${one}` : one))
  if (odd !== undefined)
    throw read.fault('allow_from', 'This must be a list of addresses, or domains such as @example.org.')
  return { in: inOf(read, home), allowFrom }
}

/** Reads the settings for sending; undefined if not configured. */
export function readMailOut(given: JsonObject, environment: Environment): MailOut | undefined {
  const read = readSettings('channels.mail', given, environment)
  read.restrictModels(keys)
  const out = read.part('out')
  out?.restrictModels(['smtp'])
  const smtp = out?.part('smtp')
  if (smtp === undefined) return undefined
  smtp.restrictModels(['host', 'port', 'secure', 'user', 'password_env', 'from'])
  const from = smtp.needed('from')
  if (!isAddress(from)) throw smtp.fault('from', 'This must be one address, such as cadre@example.org.')
  return { server: serverOf(smtp, smtp.has('user')), from }
}

function inOf(read: SettingsReader, home: string): MailIn | undefined {
  const part = read.part('in')
  if (part === undefined) return undefined
  part.restrictModels(['maildir', 'imap'])
  const imap = part.part('imap')
  const maildir = part.has('maildir') ? part.needed('maildir') : undefined
  if ((imap === undefined) === (maildir === undefined)) throw part.fault('', 'Set either maildir or imap.')
  if (maildir !== undefined) return { kind: 'maildir', folder: resolve(home, maildir) }
  if (imap === undefined) return undefined
  imap.restrictModels(['host', 'port', 'secure', 'user', 'password_env', 'mailbox'])
  return { kind: 'imap', server: serverOf(imap, true), mailbox: imap.text('mailbox') ?? 'INBOX' }
}

function serverOf(read: SettingsReader, hasUser: boolean): MailServer {
  const host = read.needed('host')
  if (!/^[A-Za-z0-9._:[\]-]{1,253}$/.test(host)) throw read.fault('host', 'This must be a host name.')
  return {
    host,
    port: read.port('port'),
    secure: read.flag('secure', true),
    isLocal: isLoopback(host),
    user: hasUser ? read.needed('user') : undefined,
    password: hasUser ? read.secret('password_env') : undefined,
  }
}
