// Processes that run test files: the file that each begins with.
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface TestProcess {
  readonly name: string
  /** Several share one service. */
  readonly files: readonly string[]
}

/** How long a process whose tests are over may take to end by itself. */
const graceMs = 5_000

/**
 * The file that loads those of a process. Its own test keeps theirs from running, and the process from ending, before all are
 * loaded. What a failed test left open does not keep the run from ending; with `--test-force-exit` a process ended while its
 * files were being loaded, or its results being written, and nobody missed them.
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
try {
${files.map((path) => `  await import(${url(path)})`).join('\n')}
  loaded.resolve()
} catch (error) {
  loaded.reject(error)
}
`,
  )
  return file
}
