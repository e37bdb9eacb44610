import type { PersistedView } from './page-view.ts'
import type { FromPage, ToPage } from './protocol.ts'

interface VsCodeApi {
  postMessage(message: FromPage): void
  getState(): PersistedView | undefined
  setState(state: PersistedView): void
}

declare function acquireVsCodeApi(): VsCodeApi

const api = acquireVsCodeApi()

export function postMessage(message: FromPage): void {
  api.postMessage(message)
}

export function loadState(): PersistedView | undefined {
  return api.getState()
}

export function saveState(state: PersistedView): void {
  api.setState(state)
}

export function onMessage(receive: (message: ToPage) => void): void {
  window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => receive(data))
}
