process.stderr.write('cadre: there are no commands yet.\n')
process.exitCode = 2
