// `npm run test:generators`: what three generators make of the OpenAPI document compiles under `strict`, and so does what one
// writes with it. Apart from `npm test`: as dependencies of the service they would make its install larger by a hundred megabytes.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = mkdtempSync(join(tmpdir(), 'jobwright-generators-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const name of ['package.json', 'package-lock.json', 'uses.ts'])
  cpSync(fileURLToPath(new URL(name, import.meta.url)), join(folder, name))
cpSync(fileURLToPath(new URL('../snapshots/openapi.json', import.meta.url)), join(folder, 'openapi.json'))

run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
runInstalled('openapi-typescript', 'openapi.json', '-o', 'out/openapi-typescript.ts')
runInstalled('openapi-ts', '-i', 'openapi.json', '-o', 'out/hey-api')
runInstalled('orval', '--input', 'openapi.json', '--output', 'out/orval.ts', '--client', 'fetch')
runInstalled(
  'tsc',
  ...['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'],
  ...['--lib', 'es2023,dom,dom.iterable', 'uses.ts'],
)
process.stderr.write('• all compile\n')

function runInstalled(program: string, ...args: string[]): void {
  run(process.execPath, join(folder, 'node_modules', '.bin', program), ...args)
}

function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, { cwd: folder, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
