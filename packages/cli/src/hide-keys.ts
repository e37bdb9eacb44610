import { hideInitialEnvironment } from '@cadre/gate'

/** A separate module, so that little code is loaded for it. */
export function hideKeys(): void {
  hideInitialEnvironment()
}
