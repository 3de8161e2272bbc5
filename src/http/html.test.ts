// Values in a template stay text, whatever they are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseFragment } from 'parse5'
import { html } from './html.ts'

const hostileText = fc.string({
  unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', 'a', '!', '-', '\n', '#', ';'),
})

test('any text comes out of element and attribute as it went in', () => {
  fc.assert(
    fc.property(hostileText, fc.string({ unit: 'grapheme' }), (a, b) => {
      const [paragraph, ...more] = parseFragment(html`<p title="${a}">x${b}</p>`.toString()).childNodes
      assert.equal(more.length, 0)
      assert.ok(paragraph && 'attrs' in paragraph)
      assert.deepEqual(paragraph.attrs, [{ name: 'title', value: a }])
      assert.equal(paragraph.childNodes.length, 1)
      const [text] = paragraph.childNodes
      assert.ok(text && 'value' in text)
      // A parser reads CR as LF and drops NUL: nothing else may change.
      const asParsed = (source: string) => source.toWellFormed().replace(/\r\n?/g, '\n').replaceAll('\0', '')
      assert.equal(text.value, asParsed(`x${b}`))
    }),
  )
})

test('templates nest, lists are joined, and what is absent shows nothing', () => {
  const items = ['<b>', 2].map((item) => html`<li>${item}</li>`)
  assert.equal(html`<ul>${items}${null}${undefined}${false}</ul>`.toString(), '<ul><li>&lt;b&gt;</li><li>2</li></ul>')
})

test('an object that only looks like markup is not trusted', () => {
  const pretender = { toString: () => '<script>' } as unknown as string
  assert.equal(html`<p>${pretender}</p>`.toString().includes('<script>'), false)
})

test('an attribute without quotes is refused when the page is written', () => {
  assert.throws(() => html`<p title=${'a b'}></p>`, /double quotes/)
  assert.throws(() => html`<p title='${'a b'}'></p>`, /double quotes/)
})
