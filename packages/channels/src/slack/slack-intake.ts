import { type JsonObject, sentenceOf } from '@cadre/core'
import type { ChannelContext } from '../channel.ts'
import { lineFromEvent, type SlackIdentity } from './line-from-event.ts'
import type { SlackSettings } from './slack-settings.ts'

/** Processes events from Slack, over any transport. */
export interface SlackIntake {
  /** Resolves with true if the event is on disk or can be ignored: only then may it be acknowledged. */
  event(envelope: JsonObject): Promise<boolean>
  interaction(payload: JsonObject): Promise<void>
}

export interface SlackIntakeOptions {
  readonly context: Pick<ChannelContext, 'receive' | 'note' | 'problems'>
  readonly settings: Pick<SlackSettings, 'channels' | 'ignoreBots'>
  /** The identity of the app; undefined while it is unknown. */
  readonly self: () => Promise<SlackIdentity | undefined>
  readonly interaction: (payload: JsonObject) => Promise<void>
}

export function createSlackIntake({ context, settings, self, interaction }: SlackIntakeOptions): SlackIntake {
  const { receive, note, problems } = context
  return {
    interaction,
    async event(envelope) {
      if (envelope['type'] !== 'event_callback') return true
      // Without its own identity, the app would answer itself.
      const me = await self()
      if (me === undefined) return false
      const line = lineFromEvent(envelope['event'], { ...settings, self: me })
      if (line === undefined) return true
      try {
        if ((await receive('slack-messages', line)) === 'new')
          note({ type: 'slack.received', message: `Received a Slack message (${line.id}).`, id: line.id })
        problems.report('slack-inbox', '[slack]', [])
        return true
      } catch (error) {
        const message = `Cannot store a Slack message, so Slack will send it again: ${sentenceOf(error)}`
        problems.report('slack-inbox', '[slack]', [{ severity: 'error', message }])
        return false
      }
    },
  }
}
