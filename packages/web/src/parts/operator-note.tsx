import { useStore } from '../store/app-context.ts'
import { Command } from './command-hint.tsx'

/** Explains why this page does not offer actions. Empty if it does. */
export function OperatorNote({ what }: { readonly what: string }) {
  const store = useStore()
  const me = store.me.value
  if (me === undefined || store.may('operator')) return null
  return (
    <p class="hint">
      {me.readOnly ? (
        <>This page is read-only.</>
      ) : me.daemon ? (
        <>Your login cannot {what}. It needs the role operator.</>
      ) : (
        <>
          To {what} on this page, run the daemon: <Command line="cadre up" />
        </>
      )}
    </p>
  )
}
