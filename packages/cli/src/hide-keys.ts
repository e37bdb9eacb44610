import { sealEnvironment } from '@cadre/gate'

/** A module of its own, so that little is loaded for it. */
export function hideKeys(): void {
  sealEnvironment()
}
