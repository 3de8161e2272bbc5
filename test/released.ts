// The release before this one: its tree out of the repository's history, run with today's packages, which have kept the versions
// that it asks for. And what it answers, to compare with what is answered after an upgrade.
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { runProgram } from './programs.ts'

const releasedCommit = '6d3d6a5d0b9a87350e42bdbd1413371f4ea4d079'
const projectPath = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** For `skip`: a package, or a copy of the newest commit alone, has no history. */
export const releasedSkipReason: string | false =
  spawnSync('git', ['cat-file', '-e', `${releasedCommit}^{commit}`], { cwd: projectPath('') }).status === 0
    ? false
    : 'the history of the repository does not reach back to the release before'

/** Its sources in a folder of their own. */
export async function unpackReleased(): Promise<{ readonly root: URL } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'jobwright-released-'))
  const archive = join(folder, 'released.tar')
  const parts = ['src', 'migrations', 'package.json']
  const steps = [
    ['git', '-C', projectPath(''), 'archive', `--output=${archive}`, releasedCommit, ...parts],
    ['tar', '-xf', archive, '-C', folder],
  ]
  for (const [command, ...args] of steps) {
    const { code, output } = await runProgram(command!, args)
    if (code !== 0) throw new Error(`${command} failed: ${output}`)
  }
  await symlink(projectPath('node_modules'), join(folder, 'node_modules'))
  return {
    root: pathToFileURL(`${folder}/`),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** What was answered, by path. */
export type Answers = Readonly<Record<string, unknown>>

export interface Reader {
  readonly origin: string
  readonly orgId: string
  readonly key: string
}

/** Of each kind, so many records are read with all that belongs to them. */
const recordsEach = 5
const pageSize = 100

/** Undefined where there is more to ask for than a path, and for files. */
export async function readPath({ origin, key }: Reader, path: string): Promise<unknown> {
  const response = await fetch(origin + path, { headers: { 'x-api-key': key } })
  const isJson = response.headers.get('content-type')?.includes('json')
  return response.status === 200 && isJson ? ((await response.json()) as { data: unknown }).data : undefined
}

/** Reads what the key may read: lists first, then what is below their records. `paths` as the OpenAPI document writes them. */
export async function readAll(reader: Reader, paths: readonly string[]): Promise<Answers> {
  const answers: Record<string, unknown> = {}
  const idsBelow = new Map<string, readonly string[]>()
  for (const template of paths) {
    const path = template.replace(/\{\w+\}/, reader.orgId)
    const [collection, , rest] = path.split(/\{(\w+)\}/) as [string, string?, string?]
    if (rest?.includes('{')) continue
    const filled =
      rest === undefined
        ? [`${collection}?limit=${pageSize}`]
        : (idsBelow.get(collection) ?? []).map((id) => collection + id + rest)
    for (const one of filled) {
      const data = await readPath(reader, one)
      if (data === undefined) continue
      answers[one] = data
      if (rest === undefined)
        idsBelow.set(
          `${collection}/`,
          recordsOf(data)
            .slice(0, recordsEach)
            .map(({ id }) => id),
        )
    }
  }
  return answers
}

/** The paths of all that can be read, the shortest first. */
export async function readablePaths(origin: string): Promise<readonly string[]> {
  const document = (await (await fetch(`${origin}/api/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  const prefix = '/api/v1'
  return Object.entries(document.paths)
    .filter(([path, methods]) => 'get' in methods && /\/organisations\/\{\w+\}\//.test(path))
    .map(([path]) => (path.startsWith(prefix) ? path : prefix + path))
    .sort((one, other) => one.split('{').length - other.split('{').length)
}

interface ListedRecord {
  readonly id: string
}

/** The records of a list, whatever its field is called. */
function recordsOf(data: unknown): readonly ListedRecord[] {
  const lists = [data, ...Object.values((data ?? {}) as object)].filter(Array.isArray)
  return lists.flat().filter((record): record is ListedRecord => typeof record?.id === 'string')
}

/** What of `before` is not so in `after`, in words. What `after` has besides is new, and nobody misses it. */
export function findDifferences(before: unknown, after: unknown, at = ''): string[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const byId = new Map(after.map((record) => [record?.id, record]))
    const isOfRecords = before.length > 0 && before.every((record) => typeof record?.id === 'string')
    if (!isOfRecords && before.length !== after.length) return [`${at}: ${before.length} became ${after.length}`]
    return before.flatMap((value, index) => {
      const name = isOfRecords ? value.id : index
      return findDifferences(value, isOfRecords ? byId.get(value.id) : after[index], `${at}/${name}`)
    })
  }
  if (isObject(before) && isObject(after))
    return Object.entries(before).flatMap(([name, value]) => findDifferences(value, after[name], `${at}/${name}`))
  return isDeepStrictEqual(before, after) ? [] : [`${at}: ${JSON.stringify(before)} became ${JSON.stringify(after)}`]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
