import type { FromPage, ToPage } from './protocol.ts'
import type { Kept } from './view.ts'

interface VsCodeApi {
  postMessage(message: FromPage): void
  getState(): Kept | undefined
  setState(state: Kept): void
}

declare function acquireVsCodeApi(): VsCodeApi

const api = acquireVsCodeApi()

export function ask(message: FromPage): void {
  api.postMessage(message)
}

export function kept(): Kept | undefined {
  return api.getState()
}

export function keep(state: Kept): void {
  api.setState(state)
}

export function onMessage(receive: (message: ToPage) => void): void {
  window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => receive(data))
}
