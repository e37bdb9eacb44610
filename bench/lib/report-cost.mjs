// Loaded before a program: when it ends, the file named by BENCH_COST says what the whole process cost.
import fs from 'node:fs'

const file = process.env.BENCH_COST
if (file)
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    const cost = { processCpuMs: (userCPUTime + systemCPUTime) / 1000, processRssMb: (maxRSS * 1024) / 1e6 }
    fs.writeFileSync(file, JSON.stringify(cost))
  })
