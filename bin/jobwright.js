#!/usr/bin/env node
// `npx jobwright`: starts the service or runs a command, wherever the package is installed, with a Node that can run it.
import { spawn, spawnSync } from 'node:child_process'
import nodeModule, { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Older ones do not run TypeScript. */
const oldestMajor = 24
const root = fileURLToPath(new URL('..', import.meta.url))
const commandLine = join(root, 'src/cli/jobwright.ts')
/** Compiling takes most of a command's time; a folder of our own, because the code in it is run. */
const compileCache = join(root, '.cache')
const isInstalled = root.includes(`${sep}node_modules${sep}`)
const canRun = Number(process.versions.node.split('.')[0]) >= oldestMajor

if (canRun && !isInstalled) {
  nodeModule.enableCompileCache(compileCache)
  // src/main.ts does it as well, but the commands would have been loaded for nothing then.
  if (process.argv[2] === 'start') (await import('../src/processes/v8-options.ts')).restartWithV8Options()
  await import(pathToFileURL(commandLine).href)
} else {
  const node = canRun ? process.execPath : findPackagedNode()
  if (node) runWith(node)
  else {
    const here = `${process.platform}-${process.arch}`
    console.error(
      `Jobwright needs Node ${oldestMajor} or later: this is ${process.version}, and the one that is installed along does not run on this ` +
        `system (${here}). Install Node ${oldestMajor}, and set DATABASE_URL where no PostgreSQL is found.`,
    )
    process.exitCode = 1
  }
}

/** Node as a package of this platform; on Alpine it is there, but its C library is not. */
function findPackagedNode() {
  const { resolve } = createRequire(import.meta.url)
  const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  for (const name of [`node-${platform}`, `node-bin-${platform}`]) {
    try {
      const program = join(
        dirname(resolve(`${name}/package.json`)),
        'bin',
        process.platform === 'win32' ? 'node.exe' : 'node',
      )
      if (spawnSync(program, ['--version']).status === 0) return program
    } catch {
      // not made for this platform, or left out with --omit=optional
    }
  }
}

function runWith(node) {
  const hooks = pathToFileURL(join(root, 'bin/strip-types.js')).href
  const forInstalled = isInstalled ? ['--disable-warning=ExperimentalWarning', `--import=${hooks}`] : []
  const child = spawn(node, [...forInstalled, commandLine, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env },
  })
  process.on('SIGINT', () => {}) // Ctrl-C reaches both; the service takes a second one for impatience
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
