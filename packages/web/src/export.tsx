// The entry point of an exported run: `cadre open --export` puts this script and the run into one file.
import { createClient } from '@cadre/api'
import { render } from 'preact'
import { ExportApp } from './export/export-app.tsx'
import { createExportedFetch } from './export/exported-fetch.ts'
import { readExported } from './export/read-exported.ts'
import { startRouter } from './shell/navigate.ts'
import { hrefOf, keepAddressesInFragment } from './shell/route.ts'
import { startKeys } from './shell/use-commands.ts'
import { AppContext, ExportContext } from './store/app-context.ts'
import { createStore } from './store/create-store.ts'

const run = readExported(document.getElementById('run')?.textContent)
const place = document.getElementById('app') as HTMLElement
place.replaceChildren()
if (typeof run === 'string')
  render(
    <main class="empty">
      <p role="alert">{run}</p>
    </main>,
    place,
  )
else {
  keepAddressesInFragment()
  if (location.hash === '' && run.shown !== run.root)
    history.replaceState(null, '', hrefOf('sessions', run.shown))
  const store = createStore({
    client: createClient({ address: '', fetch: createExportedFetch(run) }),
    schedule: (flush) => void requestAnimationFrame(flush),
    whenLookedAt: async () => {},
    pause: () => new Promise((resolve) => setTimeout(resolve, 2000)),
  })
  startRouter()
  startKeys()
  store.start()
  render(
    <AppContext value={store}>
      <ExportContext value={true}>
        <ExportApp run={run} />
      </ExportContext>
    </AppContext>,
    place,
  )
}
