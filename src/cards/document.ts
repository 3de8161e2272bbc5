// Writes a card as one HTML document, which is committed: the desk's templates and styles, and the script that speaks with the host.
// Nothing is loaded from anywhere, and the policy names the one script and the one style by their hashes.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

const source = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Those of the desk that cards have parts of, in the desk's order. */
const styleNames = ['ground', 'controls', 'surfaces', 'calendar', 'job'] as const

const style = [...styleNames.map((name) => source(`../desk/styles/${name}.css`)), source('./cards.css')]
  .join('\n')
  .replaceAll(/@font-face \{[^}]*\}/g, '') // the host's own letters will do
  .replaceAll(/\/\*.*?\*\//gs, '')
  .replaceAll(/\n\s*/g, '\n')

const kinds = { job: 'renderJob', quote: 'renderQuote', day: 'renderDay' } as const
export type CardName = keyof typeof kinds
export const cardNames = Object.keys(kinds) as CardName[]

export function cardDocument(name: CardName): string {
  const script = `${inlined([`./${name}-card.ts`, './client/host.js'])}showCard(${kinds[name]})`
  if (/<\/script|<!--/i.test(script)) throw new Error(`The script of the card ${name} would end early`)
  const sha = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`
  const policy = `default-src 'none'; script-src ${sha(script)}; style-src ${sha(style)}; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Jobwright</title>
<style>${style}</style>
</head>
<body>
<main id="card" hidden></main>
<script type="module">${script}</script>
</body>
</html>
`
}

/** Modules with all that they import as one script: what is imported comes first, each once, in one scope. */
function inlined(entries: readonly string[]): string {
  const texts = new Map<string, string>()
  const declared = new Map<string, string>()
  const include = (url: URL): void => {
    if (texts.has(url.href)) return
    texts.set(url.href, '')
    const text = stripTypeScriptTypes(readFileSync(url, 'utf8')).replaceAll(
      /^import\b([^'"]*?)from\s*'([^']+)'\s*$/gm,
      (_, names: string, from: string) => {
        if (/\bas\b/.test(names) || !from.startsWith('.')) throw new Error(`${url.href} imports ${names} from ${from}`)
        include(new URL(from, url))
        return ''
      },
    )
    for (const [, name] of text.matchAll(/^(?:export )?(?:const|let|function\*?|class)\s+(\w+)/gm)) {
      if (declared.has(name!)) throw new Error(`${url.href} and ${declared.get(name!)} both have ${name}`)
      declared.set(name!, url.href)
    }
    texts.delete(url.href) // it comes after what it imports
    texts.set(
      url.href,
      text.replaceAll(/^export \{[^}]*\}$/gm, '').replaceAll(/^export (?=const|function|let|class)/gm, ''),
    )
  }
  for (const entry of entries) include(new URL(entry, import.meta.url))
  return [...texts.values()]
    .join('\n')
    .replaceAll(/^\s*(?:\/\/.*|\/\*\*?[^*]*\*\/)\s*$/gm, '')
    .replaceAll(/[^\S\n]+$/gm, '')
    .replaceAll(/\n{2,}/g, '\n')
}
