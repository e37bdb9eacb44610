import { CadreError, isObject, type JsonObject, sentenceOf } from '@cadre/core'
import { type Home, openOutbox } from '@cadre/home'
import type { MailMessage, Sender, Senders, SlackMessage } from '@cadre/tools'
import type { Environment } from './settings-reader.ts'

/** The part of the configuration for sending messages. */
export interface SenderConfig {
  readonly channels?: JsonObject
}

/**
 * Opens the configured senders, for the daemon and for single runs. Without Slack, messages are only written to the home. A
 * configuration error makes sending fail. Unused senders are not loaded.
 */
export async function openSenders(config: SenderConfig, home: Home, env: Environment): Promise<Senders> {
  const outbox = openOutbox(home)
  const { slack, mail } = config.channels ?? {}
  return {
    slack: lazily(() => (isObject(slack) ? openSlack(slack) : openLocal())),
    ...(isObject(mail) && isObject(mail['out']) && { mail: lazily(() => openMail(mail)) }),
  }

  async function openSlack(settings: JsonObject): Promise<Sender<SlackMessage>> {
    const [{ readSlackAccess }, { createSlackApi }, { createSlackSender }] = await Promise.all([
      import('./slack/slack-settings.ts'),
      import('./slack/slack-api.ts'),
      import('./slack/create-slack-sender.ts'),
    ])
    const { baseUrl, botToken, channels } = readSlackAccess(settings, env)
    return createSlackSender({ api: createSlackApi({ baseUrl, token: botToken }), outbox, channels })
  }

  async function openLocal(): Promise<Sender<SlackMessage>> {
    return (await import('./slack/create-local-slack.ts')).createLocalSlack(outbox)
  }

  async function openMail(settings: JsonObject): Promise<Sender<MailMessage>> {
    const [{ readMailOut }, { createMailSender }] = await Promise.all([
      import('./mail/mail-settings.ts'),
      import('./mail/create-mail-sender.ts'),
    ])
    const out = readMailOut(settings, env)
    if (out === undefined)
      throw new CadreError('configuration', 'set smtp.', { where: 'config.yaml: channels.mail.out' })
    return createMailSender({ out, outbox })
  }
}

/** Opened at the first message, so that an error in one sender does not affect the others. */
function lazily<Message>(open: () => Promise<Sender<Message>>): Sender<Message> {
  let opened: Promise<Sender<Message>> | undefined
  const sender = async () => {
    opened ??= open()
    try {
      return await opened
    } catch (error) {
      opened = undefined
      throw error
    }
  }
  return {
    async send(message, key, signal) {
      let ready: Sender<Message>
      try {
        ready = await sender()
      } catch (error) {
        return { kind: 'failed', text: `The message was not sent. ${sentenceOf(error)}` }
      }
      return ready.send(message, key, signal)
    },
    check: async (message, key, signal) => (await sender()).check(message, key, signal),
  }
}
