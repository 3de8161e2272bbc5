// Node runs TypeScript everywhere but below node_modules, which is where this package is once it is installed: there, the types are taken
// out here. As an option of Node it holds for threads, too.
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'

const sources = new URL('../src/', import.meta.url).href

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith(sources) || !url.endsWith('.ts')) return nextLoad(url, context)
    const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'))
    return { format: 'module', source, shortCircuit: true }
  },
})
