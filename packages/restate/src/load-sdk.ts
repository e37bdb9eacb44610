/** The SDK of Restate. It is large, so only workers load it, when they start. */
export type Sdk = typeof import('@restatedev/restate-sdk')

export async function loadSdk(): Promise<Sdk> {
  provideWithResolvers()
  return import('@restatedev/restate-sdk')
}

/** The SDK uses `Promise.withResolvers`, which Node.js 20 does not have. Without it, invocations hang silently. */
function provideWithResolvers(): void {
  const target = Promise as unknown as { withResolvers?: () => unknown }
  target.withResolvers ??= () => {
    let resolve: unknown
    let reject: unknown
    const promise = new Promise((onResolve, onReject) => {
      resolve = onResolve
      reject = onReject
    })
    return { promise, resolve, reject }
  }
}
