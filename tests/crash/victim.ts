// A process that plays one of the programs in this folder, and dies at a given point.
//
//    node victim.js PROGRAM HOME ARGUMENTS…
//
// `kill-points.ts` defines the points. The last line on stdout is its result.
import path from 'node:path'
import { arm, disarm } from './kill-points.ts'
import { programs } from './programs.ts'

const [name = '', home = '', ...args] = process.argv.slice(2)
const play = await programs[name as keyof typeof programs]()
arm(path.dirname(home))
const end = await play(home, args)
process.stdout.write(`${JSON.stringify({ ...end, points: disarm() })}\n`)
