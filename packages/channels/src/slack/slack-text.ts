/** Mentions of one person or channel. Excludes group mentions, and links whose text differs from their address. */
const allowedMentions = /&lt;([@#][UWC][A-Z0-9]{1,30})&gt;/g

/** Escapes text for Slack: no markup that notifies people or hides an address. */
export function slackText(text: string): string {
  return escapeText(text).replace(allowedMentions, '<$1>')
}

/** Escapes everything that Slack would interpret. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
