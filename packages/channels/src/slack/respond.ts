import { escapeText } from './slack-text.ts'

/** Sends a message that only the person who clicked can see. Sends only to Slack, whatever the address; failures are ignored. */
export async function respond(responseUrl: string | undefined, text: string, baseUrl: string): Promise<void> {
  if (responseUrl === undefined || !isSlack(responseUrl, baseUrl)) return
  try {
    const response = await fetch(responseUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ response_type: 'ephemeral', replace_original: false, text: escapeText(text) }),
      redirect: 'error',
      signal: AbortSignal.timeout(10_000),
    })
    await response.body?.cancel()
  } catch {
    // The person sees the result in the message itself.
  }
}

export function isSlack(address: string, baseUrl: string): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') return false
  if (url.origin === new URL(baseUrl).origin) return true
  return url.protocol === 'https:' && url.port === '' && /(?:^|\.)slack\.com$/.test(url.hostname)
}
