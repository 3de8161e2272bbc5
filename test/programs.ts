// Programs in processes of their own: the service as operators start it, Redis, a proxy. Each is ended by its own number.
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ConnectionOptions } from '../src/db/database.ts'

export interface Program {
  readonly pid: number
  /** All it has written so far, to both of its outputs. */
  output(): string
  /** Settles with its code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>
  signal(name: NodeJS.Signals): void
  /** SIGTERM, SIGKILL after ten seconds; settles as `exited` does. */
  stop(): Promise<number | NodeJS.Signals>
}

export interface ServerProcess extends Program {
  readonly port: number
  readonly origin: string
}

export interface ProgramOptions {
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** The temporary folder unless given: away from a developer's .env. */
  readonly cwd?: string
  /** What it writes when it is ready, or a check that is repeated until it holds. */
  readonly ready: RegExp | (() => Promise<boolean>)
}

/** What a program is given besides its settings. */
export function programEnvironment(): Record<string, string | undefined> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) } // compiling takes half of a start
}

const startTimeoutMs = 120_000 // a busy machine is slow to start anything
const stopTimeoutMs = 10_000

/** Resolves when the program is ready. */
export async function startProgram(
  command: string,
  { args, environment = {}, ready, cwd = tmpdir() }: ProgramOptions,
): Promise<Program> {
  const child = spawn(command, args, {
    cwd,
    env: { ...programEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const program = watchProcess(child)
  const deadline = performance.now() + startTimeoutMs
  const isReady = ready instanceof RegExp ? async () => ready.test(program.output()) : ready
  while (!(await isReady())) {
    const exitCode = await Promise.race([program.exited, delay(20)])
    if (exitCode === undefined && performance.now() < deadline) continue
    await program.stop()
    throw new Error(`${command} ${args.join(' ')} did not get ready:\n${program.output().slice(-2_000)}`)
  }
  return program
}

/** A program that ends by itself: its exit code, and all it wrote. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

/** Whoever ends before they were stopped takes them along. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGTERM')
})

function watchProcess(child: ChildProcess): Program {
  running.add(child)
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => {
      running.delete(child)
      resolve(code ?? signal!)
    })
    child.once('error', (error) => {
      output += error.message
      resolve(1)
    })
  })
  return {
    pid: child.pid!,
    exited,
    output: () => output,
    signal: (name) => void child.kill(name),
    async stop() {
      child.kill('SIGCONT') // a stopped process handles no other signal
      child.kill('SIGTERM')
      const exitCode = await Promise.race([exited, delay(stopTimeoutMs, undefined, { ref: false })])
      if (exitCode === undefined) child.kill('SIGKILL')
      return exited
    },
  }
}

const projectRoot = new URL('../', import.meta.url)

/**
 * The service as `npm start` starts it, on a free port unless the settings name one; of another tree if one is named.
 * `live`: it may lack its database.
 */
export async function startService(
  settings: Readonly<Record<string, string>>,
  { root = projectRoot, until = 'ready' as 'ready' | 'live' } = {},
): Promise<ServerProcess> {
  const main = fileURLToPath(new URL('src/main.ts', root))
  const port = settings.PORT ?? (await freePort())
  const origin = `http://127.0.0.1:${port}`
  const environment = { LOG_LEVEL: 'warn', ...settings, PORT: port }
  const ready = until === 'ready' ? /^ready /m : () => respondsOk(`${origin}/health/live`)
  const program = await startProgram(process.execPath, { args: [main], environment, ready })
  return { ...program, port: Number(port), origin }
}

const respondsOk = (address: string) =>
  fetch(address).then(
    ({ ok }) => ok,
    () => false,
  )

export async function startRedis(port?: string): Promise<ServerProcess & { readonly url: string }> {
  const portNumber = port ?? (await freePort())
  const args = ['--port', portNumber, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const program = await startProgram('redis-server', { args, ready: /Ready to accept connections/ })
  return {
    ...program,
    port: Number(portNumber),
    origin: `http://127.0.0.1:${portNumber}`,
    url: `redis://127.0.0.1:${portNumber}`,
  }
}

/** For `skip`: why a test that needs the program cannot run here. With CI=true it has to. */
export function skipUnlessInstalled(program: string): string | false {
  if (process.env.CI === 'true' || spawnSync('which', [program]).status === 0) return false
  return `${program} is not on the PATH`
}

/** A DATABASE_URL. `localhost` only fills the place of a host in it; the socket's folder is what counts. */
export const databaseUrl = (database: ConnectionOptions): string =>
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
