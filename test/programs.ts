// Programs in processes of their own: the service as operators start it, Redis, a proxy. Each is ended by its own number.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Connection } from '../src/database.ts'

export interface Program {
  readonly pid: number
  /** All it has written so far, to both of its outputs. */
  said(): string
  /** Settles with its code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
  signal(name: NodeJS.Signals): void
  /** Asks it to end, insists after ten seconds, and tells how it ended. */
  stop(): Promise<number | NodeJS.Signals>
}

export interface Served extends Program {
  readonly port: number
  readonly origin: string
}

export interface Start {
  readonly words: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** The temporary folder unless given: away from a developer's .env. */
  readonly cwd?: string
  /** What it writes when it is ready, or a question to be asked until the answer is yes. */
  readonly ready: RegExp | (() => Promise<boolean>)
}

const startLimitMs = 120_000 // a machine that does much else is slow to start anything
const stopLimitMs = 10_000

/** Comes back when the program has said that it is ready. */
export async function startProgram(
  command: string,
  { words, environment = {}, ready, cwd = tmpdir() }: Start,
): Promise<Program> {
  const child = spawn(command, words, {
    cwd,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const program = watched(child)
  const deadline = performance.now() + startLimitMs
  const isReady = ready instanceof RegExp ? async () => ready.test(program.said()) : ready
  while (!(await isReady())) {
    const end = await Promise.race([program.ended, delay(20)])
    if (end === undefined && performance.now() < deadline) continue
    await program.stop()
    throw new Error(`${command} ${words.join(' ')} did not get ready:\n${program.said().slice(-2_000)}`)
  }
  return program
}

function watched(child: ChildProcess): Program {
  let said = ''
  for (const output of [child.stdout!, child.stderr!]) {
    output.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  }
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal!))
    child.once('error', (error) => {
      said += error.message
      resolve(1)
    })
  })
  return {
    pid: child.pid!,
    ended,
    said: () => said,
    signal: (name) => void child.kill(name),
    async stop() {
      child.kill('SIGCONT') // one that stands still hears nothing
      child.kill('SIGTERM')
      const end = await Promise.race([ended, delay(stopLimitMs, undefined, { ref: false })])
      if (end === undefined) child.kill('SIGKILL')
      return ended
    },
  }
}

const ownRoot = new URL('../', import.meta.url)

/**
 * The service as `npm start` starts it, on a free port unless the settings name one; of another tree if one is named.
 * `live`: it may lack its database.
 */
export async function startService(
  settings: Readonly<Record<string, string>>,
  { root = ownRoot, until = 'ready' as 'ready' | 'live' } = {},
): Promise<Served> {
  const main = fileURLToPath(new URL('src/main.ts', root))
  const port = settings.PORT ?? (await freePort())
  const origin = `http://127.0.0.1:${port}`
  const environment = { LOG_LEVEL: 'warn', ...settings, PORT: port }
  const ready = until === 'ready' ? /^ready /m : () => isAnswered(`${origin}/health/live`)
  const program = await startProgram(process.execPath, { words: [main], environment, ready })
  return { ...program, port: Number(port), origin }
}

const isAnswered = (address: string) =>
  fetch(address).then(
    ({ ok }) => ok,
    () => false,
  )

export async function startRedis(port?: string): Promise<Served & { readonly url: string }> {
  const at = port ?? (await freePort())
  const words = ['--port', at, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const program = await startProgram('redis-server', { words, ready: /Ready to accept connections/ })
  return { ...program, port: Number(at), origin: `http://127.0.0.1:${at}`, url: `redis://127.0.0.1:${at}` }
}

/** For `skip`: why a test that needs the program cannot run here. With CI=true it has to. */
export function missing(program: string): string | false {
  if (process.env.CI === 'true' || spawnSync('which', [program]).status === 0) return false
  return `${program} is not on the PATH`
}

/** A DATABASE_URL. `localhost` only fills the place of a host in it; the socket's folder is what counts. */
export const urlOf = (database: Connection): string =>
  'connectionString' in database
    ? database.connectionString
    : `postgres://${database.user}@localhost/${database.database}?host=${encodeURIComponent(database.host)}&port=${database.port}`

/** As settings and commands take it. */
export async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return String(port)
}
