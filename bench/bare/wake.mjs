import { runWake } from '../lib/home-work.mjs'
import { print } from '../lib/measure.mjs'
import { readWorkload } from '../lib/workload.mjs'
import { startWatcher } from './start-watcher.mjs'

const { tmp, k } = readWorkload()
print(await runWake({ tmp, k, start: startWatcher }).catch(({ stack }) => ({ error: stack })))
