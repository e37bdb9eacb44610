import { useEffect, useReducer, useRef } from 'preact/hooks'
import { type Action, configurationOf, initialView, type PageView, reduceView } from './page-view.ts'
import { loadState, onMessage, postMessage, saveState } from './webview-api.ts'

export interface Store {
  readonly view: PageView
  dispatch(action: Action): void
}

export function useStore(): Store {
  const [view, dispatch] = useReducer(reduceView, loadState(), initialView)
  const isFirst = useRef(true)
  const checks = useRef(0)
  const { draft, selected, state } = view
  const configuration = configurationOf(view)
  const written = JSON.stringify(configuration)

  useEffect(() => {
    onMessage((message) => {
      // Ignores answers to earlier requests.
      if (message.type !== 'checked' || message.id === checks.current) dispatch({ type: 'received', message })
    })
    postMessage({ type: 'ready' })
  }, [])
  useEffect(() => {
    saveState({ selected, ...(draft && { draft }) })
  }, [draft, selected])
  useEffect(() => {
    // Before the first state, the extension may have a draft that the page does not know.
    if (state === undefined) return
    if (isFirst.current && draft === undefined) {
      isFirst.current = false
      return
    }
    isFirst.current = false
    postMessage({ type: 'keep', ...(draft && { draft }) })
  }, [draft, state === undefined])
  useEffect(() => {
    if (state === undefined || configuration.agents.length === 0) return
    const timer = setTimeout(() => {
      postMessage({ type: 'check', id: ++checks.current, configuration, selected })
    }, 100)
    return () => clearTimeout(timer)
  }, [written, selected, state])
  return { view, dispatch }
}
