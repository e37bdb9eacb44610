import type { Forecast } from '@cadre/api'

export type ForecastCell =
  | { readonly kind: 'self' }
  | { readonly kind: 'unknown' }
  /** No file was changed on both sides. */
  | { readonly kind: 'apart' }
  /** Both sides changed these files, and git can merge them. */
  | { readonly kind: 'mergeable'; readonly files: readonly string[] }
  | { readonly kind: 'conflict'; readonly files: readonly string[] }

export interface ForecastMatrix {
  readonly sessions: readonly string[]
  /** `other` is a session, or `target`. */
  cell(session: string, other: string): ForecastCell
}

/** The conflicts between pairs. A pair is known as soon as one of its two sides has been compared. */
export function forecastMatrix(
  sessions: readonly string[],
  forecasts: ReadonlyMap<string, Forecast>,
): ForecastMatrix {
  return {
    sessions,
    cell(session, other) {
      if (session === other) return { kind: 'self' }
      const own = forecasts.get(session)
      const reverse = other === 'target' ? undefined : forecasts.get(other)
      if (own === undefined && reverse === undefined) return { kind: 'unknown' }
      const found =
        own?.with.find((item) => item.session === other) ??
        reverse?.with.find((item) => item.session === session)
      if (found === undefined) return { kind: 'apart' }
      return found.conflicts.length > 0
        ? { kind: 'conflict', files: found.conflicts }
        : { kind: 'mergeable', files: found.files }
    },
  }
}
