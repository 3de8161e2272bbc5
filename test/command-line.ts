// The command line as people and programs use it, against the database of a test service.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { program } from '../src/cli/program.ts'
import { readConfig } from '../src/config/config.ts'
import { databaseUrl, programEnvironment } from './programs.ts'
import type { TestService } from './test-service.ts'

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** What was printed, read as the one JSON value it has to be. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the command answers
  readonly json: any
}
export type CommandLine = (...args: string[]) => Promise<CommandResult>

process.env.NO_COLOR = '1'
const cliFile = fileURLToPath(new URL('../src/cli/jobwright.ts', import.meta.url))

/** In this process, which is ten times as fast as one of its own. */
export const commandLine =
  (settings: Readonly<Record<string, string>>): CommandLine =>
  async (...args) => {
    let [stdout, stderr] = ['', '']
    const code = await program(args, {
      readConfig: () => readConfig(settings),
      print(text) {
        stdout += text
      },
      printError(text) {
        stderr += text
      },
    })
    return commandResult(code, stdout, stderr)
  }

/** In a process of its own. */
export function spawnedCommandLine(settings: Readonly<Record<string, string>>): CommandLine {
  const folder = mkdtempSync(join(tmpdir(), 'jobwright-cli-')) // no .env of this machine is read there
  after(() => rmSync(folder, { recursive: true, force: true }))
  return (...args) =>
    new Promise((resolve) => {
      const options = { cwd: folder, env: { ...programEnvironment(), ...settings } }
      execFile(process.execPath, [cliFile, ...args], options, (error, stdout, stderr) =>
        resolve(commandResult(error ? Number(error.code) : 0, stdout, stderr)),
      )
    })
}

const commandResult = (code: number, stdout: string, stderr: string): CommandResult => ({
  code,
  stdout,
  stderr,
  get json() {
    assert.match(stdout, /^\{.*\}\n$/) // one object on one line
    return JSON.parse(stdout)
  },
})

/** The settings with which a command reaches a database. */
export function settingsFor({ connection }: Pick<TestService, 'connection'>): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl(connection),
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    RATE_LIMIT_STORE: 'memory',
    PORT: '0',
  }
}

/** Other processes learn of a change soon after it is made: they are given a second. */
export async function assertEventually<T>(expected: T, read: () => Promise<T>): Promise<void> {
  const deadline = performance.now() + 1_000
  while (performance.now() < deadline && (await read()) !== expected);
  assert.equal(await read(), expected)
}
