import { runCrowd } from '../lib/home-work.mjs'
import { print } from '../lib/measure.mjs'
import { readWorkload } from '../lib/workload.mjs'
import { startWatcher } from './start-watcher.mjs'

const { tmp, n, k } = readWorkload()
print(await runCrowd({ tmp, n, k, start: startWatcher }).catch(({ stack }) => ({ error: stack })))
