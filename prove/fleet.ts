// Instances of the service on one PostgreSQL, one Redis and behind one proxy, as an operator runs them. Each part is a
// process of its own that can be killed, frozen and started again; all of them end with the fleet.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, Database } from '../src/db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/db/embedded/launcher.ts'
import { migrate } from '../src/db/migrate.ts'
import { fillDemo } from '../src/demo/demo.ts'
import { createKey } from '../src/identity/keys.ts'
import { createOrganisation } from '../src/identity/organisations.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import {
  databaseUrl,
  freePort,
  type Program,
  type ServerProcess,
  startProgram,
  startRedis,
  startService,
} from '../test/programs.ts'

type Settings = Readonly<Record<string, string>>

export interface Shop {
  readonly orgId: string
  readonly key: string
}

/** PostgreSQL's own default; the embedded one allows as many connections as one instance needs. */
const postgresSettings = { max_connections: '100' }

export class Fleet implements AsyncDisposable {
  /** What every instance is started with. */
  readonly settings: Settings
  /** A connection of the trial's own. */
  readonly database: Database
  readonly #dataDir: string
  readonly #disposables = new AsyncDisposableStack()
  /** Its own; undefined where somebody else has made the database. */
  #postgres: EmbeddedPostgres | undefined
  /** How PostgreSQL is reached. */
  readonly connection: ConnectionOptions

  private constructor(dataDir: string, connection: ConnectionOptions, settings: Settings, postgres?: EmbeddedPostgres) {
    this.#dataDir = dataDir
    this.#postgres = postgres
    this.connection = connection
    this.database = new Database(connection)
    this.settings = {
      DATABASE_URL: databaseUrl(connection),
      SECRETS_KEY: randomBytes(32).toString('base64'),
      INTROSPECTION_SECRET: randomBytes(24).toString('base64'),
      RATE_LIMIT_STORE: 'memory',
      RATE_LIMIT_PER_MINUTE: '1000000',
      FAILED_AUTH_PER_MINUTE: '1000000',
      ...settings,
    }
    this.#disposables.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 20 }))
    this.#disposables.defer(async () => this.#postgres?.stop())
    this.#disposables.defer(() => this.database.close())
  }

  /** `parentDir`: the folder, perhaps a disk of its own, that its data goes to. */
  static async start(settings: Settings = {}, parentDir = tmpdir()): Promise<Fleet> {
    const dataDir = await mkdtemp(join(parentDir, 'jobwright-fleet-'))
    const postgres = await startEmbeddedPostgres({ dataDir, mode: 'serve', settings: postgresSettings })
    const fleet = new Fleet(dataDir, postgres.connection, settings, postgres)
    await migrate(fleet.database)
    return fleet
  }

  /** On a database that somebody else has made, and ends. */
  static async on(connection: ConnectionOptions, settings: Settings = {}): Promise<Fleet> {
    return new Fleet(await mkdtemp(join(tmpdir(), 'jobwright-fleet-')), connection, settings)
  }

  async startInstance(
    settings: Settings = {},
    options: Parameters<typeof startService>[1] = {},
  ): Promise<ServerProcess> {
    return this.#stopAtEnd(await startService({ ...this.settings, ...settings }, options))
  }

  async startRedis(port?: string): Promise<ServerProcess & { readonly url: string }> {
    return this.#stopAtEnd(await startRedis(port))
  }

  /** HAProxy in front of instances: checks the readiness of each, and retries on another when a connection is refused. */
  async startProxy(instances: readonly Pick<ServerProcess, 'port'>[], port?: string): Promise<Proxy> {
    const frontPort = port ?? (await freePort())
    const statsPort = await freePort()
    const file = join(this.#dataDir, `haproxy-${frontPort}.cfg`)
    await writeFile(file, haproxyConfig({ frontPort, statsPort, instances }))
    const origin = `http://127.0.0.1:${frontPort}`
    const isServing = async (port: number) => (await backendStates(statsPort)).get(`at-${port}`) === 'UP'
    // Until its first health check, it takes every instance for ready.
    const ready = async () => (await backendStates(statsPort)).size === instances.length && (await isReady(origin))
    const program = await startProgram('haproxy', { args: ['-db', '-f', file], ready })
    return this.#stopAtEnd({ ...program, port: Number(frontPort), origin, isServing })
  }

  async createShop(scopes: readonly string[] = ['full']): Promise<Shop> {
    const { id } = await createOrganisation(this.database, { name: 'Harbour Repairs', entitlement: 'pro' })
    const { key } = await createKey(this.database, id, { scopes }, scopeCatalogue)
    return { orgId: id, key }
  }

  /** A shop with the customers, jobs, stock and documents of the demo. */
  async createDemoShop(): Promise<Shop> {
    const shop = await this.createShop()
    await this.database.transaction(shop.orgId, (transaction) => fillDemo(transaction, shop.orgId))
    return shop
  }

  /** The process that all of PostgreSQL's others come from. */
  async postgresPid(): Promise<number> {
    return Number.parseInt(await readFile(join(this.#dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
  }

  /** Ends PostgreSQL as a crash does; `startPostgres` brings it back on the same data. */
  async killPostgres(): Promise<void> {
    process.kill(await this.postgresPid(), 'SIGKILL')
    await this.#postgres!.exited
  }

  async startPostgres(): Promise<void> {
    const options = { dataDir: this.#dataDir, mode: 'serve', settings: postgresSettings } as const
    this.#postgres = await startEmbeddedPostgres(options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#disposables.disposeAsync()
  }

  #stopAtEnd<T extends Program>(program: T): T {
    this.#disposables.defer(async () => void (await program.stop()))
    return program
  }
}

export interface Proxy extends ServerProcess {
  /** Whether it sends requests to the instance at this port. */
  isServing(port: number): Promise<boolean>
}

interface HaproxyOptions {
  readonly frontPort: string
  readonly statsPort: string
  readonly instances: readonly Pick<ServerProcess, 'port'>[]
}

/** Only a request that reached no instance is retried: another one may have been executed. */
const haproxyConfig = ({ frontPort, statsPort, instances }: HaproxyOptions) => `
global
  maxconn 4000
defaults
  mode http
  timeout connect 2s
  timeout check 3s
  timeout client 35s
  timeout server 35s
  retries 3
  option redispatch
  option forwardfor
  retry-on conn-failure
frontend front
  bind 127.0.0.1:${frontPort}
  default_backend instances
backend instances
  balance roundrobin
  option httpchk GET /health/ready
  http-response set-header X-Served-By %s
  default-server inter 200ms fall 2 rise 1
${instances.map(({ port }) => `  server at-${port} 127.0.0.1:${port} check`).join('\n')}
frontend statistics
  bind 127.0.0.1:${statsPort}
  stats enable
  stats uri /
`

/** The state of each instance that was checked: `UP` or `DOWN`. */
async function backendStates(statsPort: string): Promise<Map<string, string>> {
  const response = await fetch(`http://127.0.0.1:${statsPort}/;csv`).catch(() => undefined)
  const rows = ((await response?.text()) ?? '').split('\n').map((line) => line.split(','))
  const columnIndex = (name: string) => rows[0]!.indexOf(name)
  const [at, status, check] = [columnIndex('svname'), columnIndex('status'), columnIndex('check_status')]
  const checkedRows = rows.filter((row) => row[at]?.startsWith('at-') && /^L\d/.test(row[check]!))
  return new Map(checkedRows.map((row) => [row[at]!, row[status]!]))
}

const isReady = (origin: string): Promise<boolean> =>
  fetch(`${origin}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
