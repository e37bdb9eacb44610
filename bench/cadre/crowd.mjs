import { runCrowd } from '../lib/home-work.mjs'
import { print } from '../lib/measure.mjs'
import { readWorkload } from '../lib/workload.mjs'
import { startDaemon } from './daemon.mjs'

const { tmp, n, k } = readWorkload()
print(await runCrowd({ tmp, n, k, start: startDaemon }).catch(({ stack }) => ({ error: stack })))
