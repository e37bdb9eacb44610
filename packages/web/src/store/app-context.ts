import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Store } from './create-store.ts'

export const AppContext = createContext<Store | undefined>(undefined)

/** True in an exported run, which has no session files. */
export const ExportContext = createContext(false)

/** The store, in any component of the page. */
export function useStore(): Store {
  const store = useContext(AppContext)
  if (store === undefined) throw new Error('unreachable: a component is rendered outside the app context')
  return store
}
