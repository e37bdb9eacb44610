const { appendFileSync } = require('node:fs')

/** Appends a line to the file that the test reads. */
exports.write = (entry) => appendFileSync(process.env.CADRE_TEST_LOG, `${JSON.stringify(entry)}\n`)
