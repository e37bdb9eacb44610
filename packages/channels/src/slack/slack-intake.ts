import { type JsonObject, sentenceOf } from '@cadre/core'
import type { ChannelContext } from '../channel.ts'
import { lineOfEvent, type SlackSelf } from './line-of-event.ts'
import type { SlackSettings } from './slack-settings.ts'

/** Takes in what Slack sends, however it comes. */
export interface SlackIntake {
  /** True when it is on disk, or nothing is to be kept of it: only then may Slack be told so. */
  event(envelope: JsonObject): Promise<boolean>
  interaction(payload: JsonObject): Promise<void>
}

export interface SlackIntakeOptions {
  readonly context: Pick<ChannelContext, 'receive' | 'note' | 'problems'>
  readonly settings: Pick<SlackSettings, 'channels' | 'ignoreBots'>
  /** Who we are; nothing while that cannot be found out. */
  readonly self: () => Promise<SlackSelf | undefined>
  readonly interaction: (payload: JsonObject) => Promise<void>
}

export function createSlackIntake({ context, settings, self, interaction }: SlackIntakeOptions): SlackIntake {
  const { receive, note, problems } = context
  return {
    interaction,
    async event(envelope) {
      if (envelope['type'] !== 'event_callback') return true
      // Without knowing who we are, we would answer ourselves.
      const me = await self()
      if (me === undefined) return false
      const line = lineOfEvent(envelope['event'], { ...settings, self: me })
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
