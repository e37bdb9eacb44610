/** Asks the admin API of the Restate server. `limit`: how long to wait, in milliseconds. */
export async function queryServer(
  admin: string,
  sql: string,
  limit: number,
): Promise<readonly Record<string, unknown>[]> {
  const response = await fetch(`${admin.replace(/\/+$/, '')}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: sql }),
    signal: AbortSignal.timeout(limit),
  })
  const text = await response.text()
  if (!response.ok)
    throw new Error(`the server responded with status ${response.status}: ${text.slice(0, 200)}`)
  return (JSON.parse(text) as { rows: Record<string, unknown>[] }).rows
}
