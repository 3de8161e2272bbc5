// Processes that run test files: the file that each begins with.
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface TestProcess {
  readonly name: string
  /** Several share one service. */
  readonly files: readonly string[]
}

/** Files that use a service as it comes and change nothing of their process: each group of them is one process with one service. */
const isGrouped = (text: string) => text.includes('await startTestService()') && !text.includes('process.env')
/** Judgement without I/O needs no service, but costs none either. */
const isPure = (file: string) => file.startsWith('src/domain/')
const groupCount = 9

/** A process for each group of files, and one for each of the others. */
export async function dealOutFiles(files: readonly string[]): Promise<TestProcess[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  const grouped = files.filter((file, index) => isGrouped(texts[index]!) || isPure(file))
  const groups = Array.from({ length: groupCount }, (_, group) => ({
    name: `group ${group + 1}`,
    files: grouped.filter((_, position) => position % groupCount === group),
  }))
  return [...groups, ...files.filter((file) => !grouped.includes(file)).map(alone)]
}

export const alone = (file: string): TestProcess => ({ name: file, files: [file] })

/** How long a process whose tests are over may take to end by itself. */
const graceMs = 5_000

/**
 * The file that loads those of a process. Its own test keeps theirs from running, and the process from ending, before all are
 * loaded. What a failed test left open does not keep the run from ending; with `--test-force-exit` a process ended while its
 * files were being loaded, or its results being written, and nobody missed them. A file that cannot be loaded does not keep the
 * others from it.
 */
export async function writeEntry(folder: string, { name, files }: TestProcess): Promise<string> {
  const file = join(folder, `${name.replace(/\W+/g, '-')}.test.mjs`)
  const url = (path: string) => JSON.stringify(pathToFileURL(resolve(path)).href)
  const sharing = `import { shareService } from ${url('test/test-service.ts')}\nshareService()`
  await writeFile(
    file,
    `import { after, test } from 'node:test'
${files.length > 1 ? sharing : ''}
const loaded = Promise.withResolvers()
test('all files are loaded', () => loaded.promise)
after(() => setTimeout(() => process.exit(), ${graceMs}).unref())
const failures = []
for (const file of [${files.map(url).join(', ')}]) await import(file).catch((error) => failures.push(error))
if (failures.length > 0) loaded.reject(failures.length === 1 ? failures[0] : new AggregateError(failures))
else loaded.resolve()
`,
  )
  return file
}
