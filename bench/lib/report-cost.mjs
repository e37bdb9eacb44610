// Preloaded into a program: when it ends, writes the cost of the whole process to the file named by BENCH_COST.
import fs from 'node:fs'

const file = process.env.BENCH_COST
if (file)
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    const cost = { processCpuMs: (userCPUTime + systemCPUTime) / 1000, processRssMb: (maxRSS * 1024) / 1e6 }
    fs.writeFileSync(file, JSON.stringify(cost))
  })
