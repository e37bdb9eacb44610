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
  /** Sends once per `key`, however often it is called: across crashes and network retries. */
  send(message: Message, key: string, signal: AbortSignal): Promise<SendEnd>
  /** Checks a message that may have been in transit when the process died. */
  check(message: Message, key: string, signal: AbortSignal): Promise<'done' | 'not_done' | 'unknown'>
}

export interface Senders {
  readonly slack: Sender<SlackMessage>
  readonly mail?: Sender<MailMessage>
}

export interface SenderOptions {
  /** False if Slack is not configured: then messages stay in the home. */
  readonly slack?: boolean
  /** True if mail can be sent; otherwise there is no mail tool. */
  readonly mail: boolean
  /** Called when the first message is sent or checked. */
  readonly load: () => Promise<Senders>
}
