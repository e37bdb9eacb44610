import { runWake } from '../lib/home-work.mjs'
import { print } from '../lib/measure.mjs'
import { readWorkload } from '../lib/workload.mjs'
import { startDaemon } from './daemon.mjs'

const { tmp, k } = readWorkload()
print(await runWake({ tmp, k, start: startDaemon }).catch(({ stack }) => ({ error: stack })))
