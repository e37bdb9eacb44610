import { createServer } from 'node:http'
import { readSettings } from './settings.js'

const { port, name } = readSettings()
createServer((_request, response) => response.end(`${name}\n`)).listen(port)
