import { Command } from '../parts/command-hint.tsx'
import { useStore } from '../store/app-context.ts'

/** Warnings and notes about the server, above the view. */
export function Banners() {
  const { me, connection } = useStore()
  const who = me.value
  if (who === undefined) return null
  const canDecide = !who.readOnly && (who.roles.includes('approver') || who.roles.includes('admin'))
  return (
    <>
      {connection.value.state === 'parked' && (
        <p class="banner" role="status">
          Paused, because too many pages are open. Click this page to continue.
        </p>
      )}
      {who.readOnly ? (
        <p class="banner" role="status">
          Read-only: on this page, you can see everything but cannot change anything.
        </p>
      ) : (
        !who.daemon && (
          <p class="banner" role="status">
            No daemon is running, so this page only reads the files.{' '}
            {canDecide && 'You can decide approvals. '}To start, stop or message sessions, run{' '}
            <Command line="cadre up" />.
          </p>
        )
      )}
      {!who.sandbox && canDecide && (
        <p class="banner banner-warning" role="status">
          Commands run without a sandbox on this machine. A process that an agent leaves behind has your
          user's permissions, so it could write files in the home, including approvals. Install bubblewrap, or
          approve commands with care.
        </p>
      )}
    </>
  )
}
