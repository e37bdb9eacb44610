/** Ways to name one person or one channel. What calls everybody, and links with another name than their address, are not among them. */
const harmless = /&lt;([@#][UWC][A-Z0-9]{1,30})&gt;/g

/** Text as Slack shows it: nothing in it is taken for markup that reaches people or hides an address. */
export function slackText(text: string): string {
  return escapeText(text).replace(harmless, '<$1>')
}

/** Nothing in it means anything to Slack but itself. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
