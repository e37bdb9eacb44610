export interface SlackMessage {
  readonly channel: string
  readonly text: string
  readonly thread_ts?: string | undefined
}

export interface MailMessage {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly in_reply_to?: string | undefined
}

/** The result of sending a message, as a sentence for the sender. */
export interface SendEnd {
  readonly kind: 'sent' | 'failed'
  readonly text: string
}

/** Sends messages to one service. Failures are values, and no sentence contains a secret. */
export interface Sender<Message> {
  /** Sends once per `key`, however often it is asked: over crashes, and over retries on the network. */
  send(message: Message, key: string, signal: AbortSignal): Promise<SendEnd>
  /** Of a message that may have been under way when the process died. */
  check(message: Message, key: string, signal: AbortSignal): Promise<'done' | 'not_done' | 'unknown'>
}

export interface Senders {
  readonly slack: Sender<SlackMessage>
  readonly mail?: Sender<MailMessage>
}

export interface SenderOptions {
  /** False: Slack is not configured, and messages for it stay in the home. */
  readonly slack?: boolean
  /** Whether mail can be sent: without it there is no tool for it. */
  readonly mail: boolean
  /** Called when the first message is sent or checked. */
  readonly load: () => Promise<Senders>
}
