// What the checks of pages in a browser take for granted of the stylesheets.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

for (const file of ['pages.css', 'document.css']) {
  test(`the dark scheme changes colours only: ${file}`, () => {
    const css = readFileSync(new URL(file, import.meta.url), 'utf8')
    const [, ...rest] = css.split('@media (prefers-color-scheme: dark) {')
    assert.equal(rest.length, 1, 'one block')
    const [block] = /^\s*:root \{[^{}]*\}\s*\}/.exec(rest[0]!) ?? []
    assert.ok(block, 'of custom properties of the root')
    for (const line of block.split('\n').filter((line) => line.includes(';')))
      assert.match(line.trim(), /^--[a-z-]+: #[0-9a-f]{3,8};$/)
  })
}
