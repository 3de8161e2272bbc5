// Runs the administrative command line in this process.
import { readConfig } from '../config/config.ts'
import { program } from './program.ts'

process.stdout.on('error', () => {}) // `jobwright key list | head -1` closes the pipe early
process.exitCode = await program(process.argv.slice(2), {
  readConfig,
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
})
