// Loads a package file by file. Imported at once, a large one holds up the event loop for as long as all of its files take, and
// with it every other request; in pieces, each of them gets its turn in between.
import { readFile } from 'node:fs/promises'
import { isBuiltin, Module } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createPace } from './pacing.ts'

/** After it, importing the package costs nothing. `entry` is the address of its first file, from `import.meta.resolve`. */
export async function loadInPieces(entry: string): Promise<void> {
  const order = loadingOrder(entry, await readImports(entry))
  const pace = createPace()
  for (const url of order) {
    await import(url).catch(() => {}) // whoever imports the package is told what is wrong with it
    await pace()
  }
}

type Imports = ReadonlyMap<string, readonly string[]>

/** Statements that load another file as soon as this one is loaded; what a function imports when it is called is not among them. */
const importStatement =
  /^(?:import|export)\b[^'"]*?\bfrom\s*["']([^"']+)["']|^import\s*["']([^"']+)["']|^(?:(?:const|let|var)\s[^=\n]*=\s*)?require\(\s*["']([^"']+)["']\s*\)/gm

async function readImports(entry: string): Promise<Imports> {
  const imports = new Map<string, string[]>()
  const unread = [entry]
  for (let url = unread.pop(); url !== undefined; url = unread.pop()) {
    if (imports.has(url)) continue
    const source = await readFile(fileURLToPath(url), 'utf8').catch(() => '')
    const found = [...source.matchAll(importStatement)].flatMap(([, from, plain, required]) =>
      addressOf((from ?? plain ?? required)!, url, required !== undefined),
    )
    imports.set(url, found)
    unread.push(...found)
  }
  return imports
}

/** None for what is part of Node, no code, or not found from here: that is loaded along with whoever imports it. */
function addressOf(name: string, importer: string, isRequired: boolean): string[] {
  if (isBuiltin(name)) return []
  try {
    const url = isRequired
      ? new URL(Module.createRequire(importer).resolve(name), 'file:').href
      : name.startsWith('.')
        ? new URL(name, importer).href
        : import.meta.resolve(name)
    return /^file:.*\.[cm]?js$/.test(url) ? [url] : []
  } catch {
    return []
  }
}

/**
 * What is imported comes before its importers, as it would without us. Of files that import each other only the one that is met
 * first is named: it loads the others in the order that they expect (Tarjan's strongly connected components).
 */
export function loadingOrder(entry: string, imports: Imports): string[] {
  const order: string[] = []
  const metAt = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()

  /** Answers how early a file that is still open can be reached from here. */
  function visit(url: string): number {
    const met = metAt.size
    let earliest = met
    metAt.set(url, met)
    open.push(url)
    isOpen.add(url)
    for (const next of imports.get(url) ?? []) {
      if (!metAt.has(next)) earliest = Math.min(earliest, visit(next))
      else if (isOpen.has(next)) earliest = Math.min(earliest, metAt.get(next)!)
    }
    if (earliest < met) return earliest
    for (const closed of open.splice(open.lastIndexOf(url))) isOpen.delete(closed)
    order.push(url)
    return met
  }
  visit(entry)
  return order
}
