import { HttpProblem } from './problem.ts'

/** Throws 412 with the current ETag if the content has changed since the client read it. */
export function requireMatch(ifMatch: string, current: string): void {
  if (ifMatch === current) return
  throw new HttpProblem(
    412,
    'The content has changed since you read it. Reload it, and repeat your change.',
    {
      headers: { etag: `"${current}"` },
    },
  )
}
