import { expect, test } from 'vitest'

const { buildNeeded } = (await import(new URL('../scripts/lib/build-state.mjs', import.meta.url).href)) as {
  buildNeeded: () => boolean
}

// Elsewhere, a source may have changed since. In CI, a second build would replace the command while other tests run it.
test.runIf(process.env['CI'])('what was just built is not built again', () => {
  expect(buildNeeded()).toBe(false)
})
