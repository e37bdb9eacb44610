import * as vscode from 'vscode'

/** A cancellation token that is cancelled when a signal is aborted. */
export function tokenOf(
  signal: AbortSignal,
): vscode.Disposable & { readonly token: vscode.CancellationToken } {
  const source = new vscode.CancellationTokenSource()
  const cancel = () => source.cancel()
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  return {
    token: source.token,
    dispose() {
      signal.removeEventListener('abort', cancel)
      source.dispose()
    },
  }
}

/** A signal that is aborted when a token is cancelled. */
export function signalOf(
  token: vscode.CancellationToken,
): vscode.Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (token.isCancellationRequested) abort()
  const listener = token.onCancellationRequested(abort)
  return { signal: controller.signal, dispose: () => listener.dispose() }
}
